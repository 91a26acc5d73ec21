import Domain
import JSON

/// The ids of episodes in what jimmy printed for another program: lines with tabs, or JSON Lines.
public enum IDLines {
    /// The first field of each line, or the `id` of its object. Where another field comes first, as the position does in the
    /// queue and the outcome in downloads, the first field that is a whole id. A line without an id is returned as it is,
    /// since it names no episode.
    public static func ids(in text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).map { line in
            let line = line.trimmed
            if line.hasPrefix("{") { return id(ofObject: line) ?? String(line) }
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map { String($0.trimmed) }
            return fields[0].contains("-") ? fields[0] : fields.first(where: EpisodeID.isWhole) ?? fields[0]
        }.filter { !$0.isEmpty }
    }

    private static func id(ofObject line: Substring) -> String? {
        var json = JSONReader(Array(line.utf8))
        var id: String?
        do {
            try json.object { json, key in
                if key == "id", try json.peek() == .string { id = try json.string() } else { _ = try json.skip() }
            }
        } catch {
            return nil
        }
        return id
    }
}

extension StringProtocol {
    fileprivate var trimmed: SubSequence {
        let start = drop { $0.isWhitespace }
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return start.prefix(0) }
        return start[...end]
    }
}
