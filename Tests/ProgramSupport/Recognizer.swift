import Glibc
import LoopbackServer

/// Audio whose every second says its own number, and a recogniser that reads it: each second is a constant level.
public enum NumberedAudio {
    private static let rate = 16_000
    private static let base = 1_000
    private static let step = 8

    /// A WAV file. The word of second 7 is `w7`.
    public static func wav(seconds: Int, from first: Int = 0) -> [UInt8] {
        func number(_ value: Int, _ bytes: Int) -> [UInt8] { (0..<bytes).map { UInt8(value >> (8 * $0) & 255) } }
        let format = number(1, 2) + number(1, 2) + number(rate, 4) + number(2 * rate, 4) + number(2, 2) + number(16, 2)
        var samples: [UInt8] = []
        samples.reserveCapacity(seconds * rate * 2)
        for second in first..<(first + seconds) {
            let level = number(base + step * second, 2)
            for _ in 0..<rate { samples += level }
        }
        return Array("RIFF".utf8) + number(36 + samples.count, 4) + Array("WAVEfmt ".utf8) + number(16, 4) + format
            + Array("data".utf8) + number(samples.count, 4) + samples
    }

    /// The words of so many seconds.
    public static func words(_ seconds: Range<Int>) -> String { seconds.map { "w\($0)" }.joined(separator: " ") }

    /// A recogniser, called `recognizer {audio} {output}`. It notes each piece that it begins in `begun`, by its first
    /// second. It waits as long as the file `pace` says, and does what `mode` says: `hang`, `fail`, `rubbish`, `repeat`, each
    /// for pieces with the second in `bad`, or for all.
    public static func install(in home: Home) throws {
        try Scripts.write(
            """
            #!/usr/bin/python3
            import array, os, subprocess, sys, time
            home = "\(home.folder)"
            def text(name, otherwise):
                try:
                    return open(os.path.join(home, name)).read().strip()
                except OSError:
                    return otherwise
            data = open(sys.argv[1], "rb").read()[44:]
            samples = array.array("h", data[: len(data) // 2 * 2])
            rate = \(rate)
            # The second that is heard in the middle of each second of the whole file.
            first, lines, seen = None, [], set()
            for place in range(0, len(samples), rate // 4):
                second = round((samples[place] - \(base)) / \(step))
                if second in seen or second < 0:
                    continue
                seen.add(second)
                first = second if first is None else first
                lines.append((place / rate, "w%d" % second))
            with open(os.path.join(home, "begun"), "a") as log:
                log.write("%s\\n" % first)
            time.sleep(float(text("pace", "0")))
            mode, bad = text("mode", ""), text("bad", "")
            if mode and (not bad or int(bad) in seen):
                if mode == "hang":
                    # With a child of its own, until a test says otherwise.
                    child = subprocess.Popen(["sleep", "1000"])
                    while text("mode", "") == "hang":
                        time.sleep(0.02)
                    child.kill()
                    mode = ""
                if mode == "fail":
                    print("cannot load the model", file=sys.stderr)
                    sys.exit(3)
                if mode == "rubbish":
                    print("\\x01\\x02 segmentation fault")
                    sys.exit(0)
                if mode == "repeat":
                    lines = [(place / 2, "Thank you.") for place in range(8)]
            def stamp(seconds):
                return "%02d:%02d:%06.3f" % (seconds // 3600, seconds // 60 % 60, seconds % 60)
            with open(sys.argv[2] + ".vtt", "w") as out:
                out.write("WEBVTT\\n\\n")
                for start, word in lines:
                    out.write("%s --> %s\\n%s\\n\\n" % (stamp(start), stamp(start + 0.5), word))
            """, to: home.folder + "/recognizer")
        try home.settings([
            "transcriber = \(home.folder)/recognizer {audio} {output}", "transcriber-piece = 20s", "transcriber-nice = 0",
        ])
    }
}

extension Home {
    /// Writes the settings file.
    public func settings(_ lines: [String]) throws {
        for folder in [".config", ".config/jimmy"] { mkdir("\(self.folder)/\(folder)", 0o700) }
        try write(lines.joined(separator: "\n") + "\n", to: ".config/jimmy/config")
    }

    /// Subscribes to a podcast of one episode for each file, the last being the newest; its episodes' ids, in that order.
    public func subscribe(_ title: String, audio: [[UInt8]], language: String = "en") throws -> [String] {
        let path = "/" + title.lowercased()
        for (index, file) in audio.enumerated() {
            server.on("\(path)/\(index).wav", Reply(200, headers: [("Content-Type", "audio/wav")], body: file))
        }
        let items = audio.enumerated().map { index, file in
            """
            <item><title>\(title) \(index + 1)</title><guid>\(title)-\(index)</guid>
            <pubDate>\(1 + index / 24) May 2024 \(index % 24):00:00 GMT</pubDate>
            <enclosure url="\(server.url)\(path)/\(index).wav" type="audio/wav" length="\(file.count)"/></item>
            """
        }
        server.on(
            path,
            .feed(
                "<rss version=\"2.0\"><channel><title>\(title)</title><language>\(language)</language>\(items.joined())</channel></rss>"
            ))
        let run = try jimmy.run("subscribe", server.url + path)
        guard run.status == 0 else { throw TestFailure(run.errors) }
        let listed = try jimmy.run("episodes", title).records.compactMap(\.first)
        guard listed.count == audio.count else { throw TestFailure("\(listed)") }
        return listed.reversed()
    }

    /// The text of a stored transcript; empty if there is none.
    public func transcript(_ id: String) throws -> String {
        try jimmy.run("show", "--transcript", id).records.compactMap(\.last).joined(separator: " ")
    }
}
