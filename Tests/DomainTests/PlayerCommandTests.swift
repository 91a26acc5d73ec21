import Domain
import Testing

struct PlayerCommandTests {
    @Test(arguments: [
        ("mpv", ["mpv"]), ("  mpv  --no-video ", ["mpv", "--no-video"]), ("my\\ player", ["my player"]),
        ("'my player' -x", ["my player", "-x"]), ("p \"a b\"c", ["p", "a bc"]), ("p ''", ["p", ""]),
        ("p \"\\\"\\n\"", ["p", "\"\\n"]),
        ("p '\\'", ["p", "\\"]), ("p $HOME;ls|x", ["p", "$HOME;ls|x"]),
    ])
    func `is split as a shell does`(text: String, words: [String]) { #expect(PlayerCommand(text)?.words == words) }

    @Test(arguments: ["", "  ", "'x", "p \"x", "p \\"])
    func `is refused`(text: String) { #expect(PlayerCommand(text) == nil) }

    @Test(arguments: [
        ("p", 0.0, ["p", "/a b.mp3"]), ("p {file} -x", 0, ["p", "/a b.mp3", "-x"]),
        ("p --at={start} 'f={file}'", 12, ["p", "--at=12", "f=/a b.mp3"]),
        ("p -ss {start}", 12.5, ["p", "-ss", "12.5", "/a b.mp3"]),
    ])
    func `placeholders are replaced inside words`(text: String, start: Double, words: [String]) throws {
        let player = try #require(PlayerCommand(text))
        #expect(player.arguments(PlayRequest(media: "/a b.mp3", start: start)) == words)
    }

    @Test func `a file name is not read again`() throws {
        let player = try #require(PlayerCommand("p {file}"))
        #expect(player.arguments(PlayRequest(media: "/{start} {file}.mp3", start: 7)) == ["p", "/{start} {file}.mp3"])
    }

    @Test(arguments: [
        (
            "/usr/bin/mpv --no-video",
            [
                "/usr/bin/mpv", "--input-ipc-server=/s", "--start=7.5", "--speed=1.4", "--user-agent=me", "--force-seekable=yes",
                "--no-video", "URL",
            ]
        ),
        (
            "vlc -x",
            [
                "vlc", "--extraintf=oldrc", "--rc-fake-tty", "--rc-unix=/s", "--start-time=7.5", "--rate=1.4",
                "-x", "URL", ":http-user-agent=me",
            ]
        ),
        ("ffplay", ["ffplay", "-user_agent", "me", "-ss", "7.5", "-af", "atempo=1.4", "URL"]),
        ("mplayer {file} -x", ["mplayer", "-user-agent", "me", "-ss", "7.5", "-speed", "1.4", "URL", "-x"]),
        (
            "mpv --start={start}",
            ["mpv", "--input-ipc-server=/s", "--speed=1.4", "--user-agent=me", "--force-seekable=yes", "--start=7.5", "URL"]
        ),
        ("other", ["other", "URL"]),
    ])
    func `players that are known get what was asked for`(text: String, words: [String]) throws {
        let player = try #require(PlayerCommand(text))
        var request = PlayRequest(media: "http://media.example/1.mp3", start: 7.5)
        (request.speed, request.userAgent) = (1.4, "me")
        let expected = words.map { $0 == "URL" ? request.media : $0 }
        #expect(player.arguments(request, control: player.isControlled ? "/s" : nil) == expected)
    }

    @Test func `a file on the disk needs no User-Agent`() throws {
        var request = PlayRequest(media: "/a.mp3", start: 0)
        request.userAgent = "me"
        for text in ["mpv", "vlc", "ffplay", "mplayer"] {
            #expect(try #require(PlayerCommand(text)).arguments(request) == [text, "/a.mp3"])
        }
    }
}
