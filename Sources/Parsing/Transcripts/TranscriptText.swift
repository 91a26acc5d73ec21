internal import Domain

/// Reads plain text: each paragraph is a segment, and so is the text after a stamp such as `[00:12:34]`.
enum TranscriptText {
    static func segments(of lines: [String]) -> [TranscriptSegment] {
        var segments: [TranscriptSegment] = []
        var stamp: Stamp?
        var isOpen = false
        for line in lines {
            if line.isEmpty {
                isOpen = false
                continue
            }
            var text = line
            if let next = Stamp(line) {
                (stamp, text, isOpen) = (next, next.text, false)
            }
            if text.isEmpty { continue }
            if isOpen {
                segments[segments.count - 1].text += " " + text
            } else {
                segments.append(TranscriptSegment(start: stamp?.start, text: text, speaker: stamp?.speaker))
            }
            isOpen = true
        }
        return segments
    }

    /// A time, and perhaps a speaker, at the beginning of a line: `[00:12:34] …`, `(1:02) …`, `00:12 …`, `Ada (00:12):
    /// …`, `Ada  0:12`, `[00:00.000 --> 00:04.000] …`.
    struct Stamp {
        var start: Double
        var speaker: String?
        /// The text after the stamp.
        var text: String

        init?(_ line: String) {
            guard let time = Self.firstTime(line), let start = TranscriptTime.clock(time) else { return nil }
            var before = line[..<time.startIndex]
            let bracket: Character? = before.last.flatMap { $0 == "[" || $0 == "(" ? $0 : nil }
            if bracket != nil { before.removeLast() }
            var behind = line[time.endIndex...]
            if let bracket {
                guard let close = behind.firstIndex(of: bracket == "[" ? "]" : ")"),
                    behind[..<close].allSatisfy({ " 0123456789:.,->".contains($0) })
                else { return nil }
                behind = behind[behind.index(after: close)...]
            }
            let name = String(before).trimmedValue
            // In or at the end of a sentence, it is a time of day.
            let isApart = before.hasSuffix("  ") || before.hasSuffix("\t") || time.split(separator: ":").count > 2
            guard name == nil || bracket != nil || behind.isEmpty && isApart, (name?.utf8.count ?? 0) <= 40 else { return nil }
            self.start = start
            speaker = name.map { $0.hasSuffix(":") ? String($0.dropLast()) : $0 }
            text = String(behind.drop { ":-–— ".contains($0) })
        }

        /// The first digits that include a colon; names may contain digits too.
        private static func firstTime(_ line: String) -> Substring? {
            var remaining = line[...]
            while let digit = remaining.firstIndex(where: { ("0"..."9").contains($0) }) {
                var time = remaining[digit...].prefix { ("0"..."9").contains($0) || ":.,".contains($0) }
                remaining = remaining[time.endIndex...]
                while let last = time.last, ":.,".contains(last) { time.removeLast() }
                if time.contains(":") { return time }
            }
            return nil
        }
    }
}
