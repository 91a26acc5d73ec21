/// Records with named fields: columns that fit the terminal, or tab-separated lines in a pipe.
struct Table {
    struct Column {
        var title: String
        var rightAligned = false
        /// Gives way, down to this many columns, where the terminal is narrow; nil: never.
        var minimum: Int?
        /// Fields that only one of the two forms has.
        var onlyInPipe = false

        init(_ title: String, rightAligned: Bool = false, minimum: Int? = nil, onlyInPipe: Bool = false) {
            self.title = title
            self.rightAligned = rightAligned
            self.minimum = minimum
            self.onlyInPipe = onlyInPipe
        }
    }

    struct Cell {
        var text: String
        /// What scripts read, where it differs from what people read.
        var pipe: String
        var style: Style?

        init(_ text: String?, pipe: String? = nil, style: Style? = nil) {
            self.text = (text ?? "").oneLine
            self.pipe = pipe?.oneLine ?? self.text
            self.style = style
        }
    }

    var columns: [Column]
    var rows: [[Cell]] = []

    init(_ columns: [Column]) { self.columns = columns }

    func lines(for display: Display) -> [String] {
        guard display.isTerminal else { return rows.map { $0.map(\.pipe).joined(separator: "\t") } }
        guard !rows.isEmpty else { return [] }
        let shown = columns.indices.filter { index in !columns[index].onlyInPipe && rows.contains { !$0[index].text.isEmpty } }
        let widths = fittedWidths(of: shown, in: display.width)
        func line(_ cell: (Int) -> (text: String, style: Style?)) -> String {
            var parts = zip(shown, widths).map { index, width in
                let cell = cell(index)
                let isLast = index == shown.last && !columns[index].rightAligned
                let text =
                    isLast
                    ? cell.text.truncated(to: width)
                    : cell.text.padded(to: width, rightAligned: columns[index].rightAligned)
                return display.styled(text, cell.style)
            }
            while parts.last == "" { parts.removeLast() }
            return parts.joined(separator: "  ")
        }
        return [line { (columns[$0].title, .dim) }] + rows.map { row in line { (row[$0].text, row[$0].style) } }
    }

    /// Each column as wide as its widest cell; where that is too much, the widest that may give way gives way first.
    private func fittedWidths(of shown: [Int], in width: Int) -> [Int] {
        var widths = shown.map { index in
            rows.reduce(columns[index].title.displayWidth) { max($0, $1[index].text.displayWidth) }
        }
        var excess = widths.reduce(0, +) + 2 * (shown.count - 1) - width
        while excess > 0 {
            let candidates = shown.indices.filter { widths[$0] > columns[shown[$0]].minimum ?? Int.max }
            guard let widest = candidates.max(by: { widths[$0] < widths[$1] }) else { break }
            let others = candidates.filter { $0 != widest }.map { widths[$0] }.max() ?? 0
            let floor = max(columns[shown[widest]].minimum ?? 0, min(others, widths[widest] - 1))
            let cut = min(excess, widths[widest] - floor)
            widths[widest] -= cut
            excess -= cut
        }
        return widths
    }
}
