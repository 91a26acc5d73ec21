/// The facts below a title: the id, a name, and what is known. On a narrow terminal the name gives way.
enum FactsLine {
    /// Columns that a name needs to be of use.
    private static let minNameWidth = 8

    static func lines(_ id: String, _ name: String, _ facts: [String?], _ display: Display) -> [String] {
        let facts = facts.compactMap { $0?.oneLine }.map { ", " + $0 }.joined()
        let name = name.oneLine
        func fitted(_ room: Int) -> String? {
            let remainder = room - facts.displayWidth
            return remainder < min(minNameWidth, name.displayWidth) ? nil : name.truncated(to: remainder) + facts
        }
        let id = (text: display.styled(id, .dim), width: id.displayWidth)
        if let line = fitted(display.width - id.width - 4) { return ["  \(id.text)  \(line)"] }
        let line = fitted(display.width - 2) ?? (name + facts).truncated(to: display.width - 2)
        return ["  \(id.text)", "  \(line)"]
    }
}
