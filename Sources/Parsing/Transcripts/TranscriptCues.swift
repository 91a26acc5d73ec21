internal import Domain
internal import HTML

/// Reads SubRip and WebVTT, including files that break their rules: without empty lines, without hours, with HTML tags.
///
/// A cue is a line with times and the lines after it. The line before it may be its number or name. Notes, styles and
/// regions are separate blocks. Sources: https://www.w3.org/TR/webvtt1/, and for SubRip the practice of players.
enum TranscriptCues {
    static func segments(of lines: [String]) -> [TranscriptSegment] {
        var segments: [TranscriptSegment] = []
        // Automatic captions repeat the previous line in each cue, and give the time of each word.
        let isRolling = lines.contains { $0.contains("<c>") && $0.contains("<0") }
        var lastLine = ""
        var start: Double?
        var isAfterBlank = true
        var isInNote = false
        for (index, line) in lines.enumerated() {
            if line.isEmpty {
                (isAfterBlank, isInNote) = (true, false)
                continue
            }
            defer { isAfterBlank = false }
            if let times = CueTimes(line) {
                start = times.start
                segments.append(TranscriptSegment(start: start, text: ""))
                isInNote = false
                continue
            }
            if isAfterBlank, ["NOTE", "STYLE", "REGION"].contains(where: { line == $0 || line.hasPrefix($0 + " ") }) {
                isInNote = true
            }
            let isName = index + 1 < lines.count && CueTimes(lines[index + 1]) != nil && (isAfterBlank || Int(line) != nil)
            guard !isInNote, !isName, start != nil, !(isRolling && line.withoutTags == lastLine) else { continue }
            if isRolling { lastLine = line.withoutTags }
            for (speaker, text) in line.voices where !text.isEmpty { segments.add(text, speaker, start) }
        }
        return segments.filter { !$0.text.isEmpty }
    }
}

extension [TranscriptSegment] {
    /// Adds text to the last cue; another speaker in it begins a new segment.
    fileprivate mutating func add(_ text: String, _ speaker: String?, _ start: Double?) {
        guard let last = indices.last else { return }
        if self[last].text.isEmpty {
            (self[last].text, self[last].speaker) = (text, speaker)
        } else if let speaker, speaker != self[last].speaker {
            append(TranscriptSegment(start: start, text: text, speaker: speaker))
        } else {
            self[last].text += " " + text
        }
    }
}

extension String {
    fileprivate var withoutTags: String { voices.map(\.text).joined(separator: " ") }

    /// The line without `<i>`, `<00:01.000>` and `{\an8}`, with references resolved, split where `<v Ada>` changes the speaker.
    fileprivate var voices: [(speaker: String?, text: String)] {
        guard utf8.contains(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "&") }) else {
            return [(nil, self)]
        }
        var voices: [(speaker: String?, text: String)] = [(nil, "")]
        var remaining = self[...]
        while let open = remaining.firstIndex(where: { $0 == "<" || $0 == "{" }) {
            let inside = remaining[remaining.index(after: open)...]
            let isTag =
                remaining[open] == "{"
                ? inside.first == "\\" : inside.first.map { $0 == "/" || $0.isLetter || $0.isNumber } ?? false
            guard isTag, let close = inside.firstIndex(of: remaining[open] == "{" ? "}" : ">") else {
                voices[voices.count - 1].text += remaining[...open]
                remaining = inside
                continue
            }
            voices[voices.count - 1].text += remaining[..<open]
            // `<v Ada>`, `<v.loud Ada Lovelace>`
            let tag = inside[..<close]
            if tag.hasPrefix("v ") || tag.hasPrefix("v."), let space = tag.firstIndex(of: " ") {
                voices.append((String(tag[tag.index(after: space)...]), ""))
            }
            remaining = remaining[remaining.index(after: close)...]
        }
        voices[voices.count - 1].text += remaining
        return voices.map { ($0.speaker, $0.text.withoutReferences.trimmedValue ?? "") }
    }

    /// Resolves references, turns no-break spaces into spaces, and removes direction marks.
    private var withoutReferences: String {
        guard contains("&") else { return self }
        let marks: Set<Unicode.Scalar> = ["\u{200E}", "\u{200F}"]
        var text = String.UnicodeScalarView()
        for scalar in CharacterReference.resolved(self).unicodeScalars where !marks.contains(scalar) {
            text.append(scalar == "\u{A0}" ? " " : scalar)
        }
        return String(text)
    }
}

/// A line of times such as `00:01:02,500 --> 00:01:05,000`: with or without hours, with a comma or a point, possibly
/// followed by settings.
struct CueTimes {
    var start: Double

    init?(_ line: String) {
        // A quick check, since nearly all lines are text.
        guard let first = line.utf8.first, (48...57).contains(first), let arrow = line.range(of: "-->") else { return nil }
        let text = line[..<arrow.lowerBound].utf8.filter { $0 > 32 }
        guard let start = TranscriptTime.clock(String(decoding: text, as: UTF8.self)[...]) else { return nil }
        self.start = start
    }
}
