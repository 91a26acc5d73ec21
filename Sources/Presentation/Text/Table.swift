/// Records with named fields: columns that fit the terminal, or tab-separated lines in a pipe. On a terminal too narrow
/// for the columns, each record takes a few lines: its name, then its other fields.
struct Table {
    struct Column {
        var title: String
        var rightAligned = false
        /// The width to which the column may shrink on a narrow terminal; nil if it never shrinks.
        var minimum: Int?
        /// True for fields that only the pipe form has.
        var onlyInPipe = false
        /// True if this field is the record's name.
        var isName = false

        init(_ title: String, rightAligned: Bool = false, minimum: Int? = nil, onlyInPipe: Bool = false, isName: Bool = false) {
            self.title = title
            self.rightAligned = rightAligned
            self.minimum = minimum
            self.onlyInPipe = onlyInPipe
            self.isName = isName
        }
    }

    struct Cell {
        var text: String
        /// The value for scripts; equal to `text` unless given.
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
        guard widths.reduce(0, +) + 2 * (shown.count - 1) <= display.width else {
            return rows.flatMap { block($0, shown, display) }
        }
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

    /// A record on several lines, wrapped between words.
    private func block(_ row: [Cell], _ shown: [Int], _ display: Display) -> [String] {
        let name = shown.first { columns[$0].isName } ?? shown.first
        var lines: [String] = []
        if let name { lines = row[name].text.wrapped(to: display.width).map { display.styled($0, row[name].style) } }
        let indent = "  "
        var line = ""
        var used = 0
        for index in shown where index != name && !row[index].text.isEmpty {
            // A bare number is unclear without its heading, unless the column also has texts.
            let isNumber = columns[index].minimum == nil && row[index].text.allSatisfy { $0.isNumber || $0 == "," }
            let text = row[index].text + (isNumber && columns[index].title != "#" ? " " + columns[index].title.lowercased() : "")
            let pieces = text.wrapped(to: display.width - indent.count)
            if used > 0, used + 2 + text.displayWidth > display.width || pieces.count > 1 {
                lines.append(line)
                (line, used) = ("", 0)
            }
            for (number, piece) in pieces.enumerated() {
                if number > 0 {
                    lines.append(line)
                    (line, used) = ("", 0)
                }
                line += (used == 0 ? indent : "  ") + display.styled(piece, row[index].style)
                used += 2 + piece.displayWidth
            }
        }
        return used > 0 ? lines + [line] : lines
    }

    /// Each column is as wide as its widest cell. If the total is too wide, the widest column that may shrink shrinks
    /// first.
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
