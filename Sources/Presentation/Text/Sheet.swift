/// A description of one thing: labelled facts, then texts.
struct Sheet {
    private var facts: [(label: String, text: String, style: Style?)] = []
    private var paragraphs: [String] = []
    private let heading: String

    init(_ heading: String) { self.heading = heading.oneLine }

    /// - Parameter isExact: true to keep all blanks, as of a path.
    mutating func add(_ label: String, _ text: String?, style: Style? = nil, isExact: Bool = false) {
        guard let text = isExact ? text?.exactLine : text?.oneLine, !text.isEmpty else { return }
        facts.append((label, text, style))
    }

    mutating func add(_ label: String, _ texts: [String]) {
        add(label, texts.joined(separator: ", "))
    }

    /// A longer text, with its own line breaks.
    mutating func addText(_ text: String?) {
        guard let text = text?.printable, !text.isEmpty else { return }
        paragraphs.append(text)
    }

    func lines(for display: Display) -> [String] {
        let indent = (facts.map(\.label.displayWidth).max() ?? 0) + 2
        // If two columns leave too little room, labels get their own lines.
        let isNarrow = display.isTerminal && display.width - indent < 24
        var lines = heading.wrapped(to: display.isTerminal ? display.width : .max).map { display.styled($0, .bold) }
        for fact in facts where isNarrow {
            lines.append(display.styled(fact.label, .dim))
            lines += fact.text.wrapped(to: display.width - 2).map { "  " + display.styled($0, fact.style) }
        }
        for fact in facts where !isNarrow {
            // Wrapping joins words by one blank.
            let width = display.width - indent
            let fits = !display.isTerminal || fact.text.displayWidth <= width
            for (number, part) in (fits ? [fact.text] : fact.text.wrapped(to: width)).enumerated() {
                let label = number == 0 ? fact.label : ""
                lines.append(display.styled(label.padded(to: indent), .dim) + display.styled(part, fact.style))
            }
        }
        for paragraph in paragraphs {
            lines.append("")
            lines += paragraph.wrapped(to: display.isTerminal ? min(display.width, 100) : .max)
        }
        return lines
    }
}
