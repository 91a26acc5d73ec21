/// Draws figures below each other in an SVG document that is readable on light and dark backgrounds.
package struct FigureSVG {
    private var body = ""
    private var y = 24.0

    private static let width = 860.0
    private static let margin = 32.0

    package init(_ figures: [Figure]) {
        for figure in figures { add(figure) }
    }

    /// Hues that are distinct for all kinds of colour vision; dark mode follows the reader's setting.
    package var text: String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.number(Self.width)) \(Self.number(y))" width="\(Self.number(Self.width))" height="\(Self.number(y))" font-family="system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif" font-size="13">
        <style>
        .ground { fill: #ffffff } .title { fill: #1c2430; font-size: 16px; font-weight: 600 } .label { fill: #1c2430 }
        .note { fill: #5c6675 } .bar { fill: #2f6fb3 } .failed { fill: #c8452e } .grid { stroke: #dfe3e8 } .axis { stroke: #9aa3ae }
        .empty { fill: #eef1f4 }
        @media (prefers-color-scheme: dark) {
        .ground { fill: #14181f } .title, .label { fill: #e8ebef } .note { fill: #9aa5b4 } .bar { fill: #5fa3e6 }
        .empty { fill: #20262f } .failed { fill: #f0765c } .grid { stroke: #2a313c } .axis { stroke: #5b6573 }
        }
        </style>
        <rect class="ground" width="100%" height="100%" rx="8"/>
        \(body)</svg>

        """
    }

    private mutating func add(_ figure: Figure) {
        y += 16
        text(figure.title, "title", Self.margin, y)
        text(figure.note, "note", Self.width - Self.margin, y, anchor: "end")
        y += 16
        switch figure.form {
        case .columns(let values, let labels): columns(values, labels)
        case .bars(let bars): self.bars(bars)
        case .heat(let rows): heat(rows)
        }
        y += 24
    }

    private mutating func columns(_ values: [Double], _ labels: [(column: Int, text: String)]) {
        let (left, height) = (Self.margin + 40, 160.0)
        let width = Self.width - Self.margin - left
        let top = Figure.ceiling(values)
        let parts = [4.0, 5, 2].first { (top / $0).rounded() * $0 == top } ?? 1
        for part in stride(from: 0, through: parts, by: 1) {
            let value = top * part / parts
            let line = y + height * (1 - part / parts)
            self.line(part == 0 ? "axis" : "grid", left, line, left + width, line)
            text(grouped(Int(value)), "note", left - 8, line + 4, anchor: "end")
        }
        let step = width / Double(max(values.count, 1))
        let gap = min(step * 0.2, 4)
        for (column, value) in values.enumerated() where value > 0 {
            let bar = max(value / top * height, 1)
            rectangle(
                "bar", left + Double(column) * step + gap / 2, y + height - bar, step - gap, bar, title: grouped(Int(value)))
        }
        var end = 0.0
        for (column, label) in labels {
            let x = left + Double(column) * step
            guard x >= end, x + 8 * Double(label.count) <= left + width + 16 else { continue }
            text(label, "note", x, y + height + 18)
            end = x + 8 * Double(label.count) + 8
        }
        y += height + 20
    }

    private mutating func bars(_ bars: [Figure.Bar]) {
        let (left, row) = (Self.margin + 200, 22.0)
        let room = Self.width - Self.margin - left - 200
        let top = max(bars.map(\.value).max() ?? 0, 1)
        for bar in bars {
            text(bar.label.truncated(to: 26), "label", left - 10, y + 14, anchor: "end")
            let failed = bar.failed / top * room
            let fine = max(bar.value - bar.failed, 0) / top * room
            if fine > 0 { rectangle("bar", left, y + 3, max(fine, 1), row - 7, title: bar.text) }
            if failed > 0 { rectangle("failed", left + fine, y + 3, max(failed, 1), row - 7, title: bar.text) }
            text(bar.text, bar.isFailing ? "failed" : "note", left + fine + failed + 8, y + 14)
            y += row
        }
    }

    private mutating func heat(_ rows: [Figure.HeatRow]) {
        let (left, height) = (Self.margin + 40, 20.0)
        let top = Double(max(rows.flatMap(\.values).max() ?? 0, 1))
        let columns = max(rows.map(\.values.count).max() ?? 0, 1)
        let width = (Self.width - Self.margin - left) / Double(columns)
        for row in rows {
            text(row.label, "note", left - 8, y + 14, anchor: "end")
            for (column, value) in row.values.enumerated() {
                let title = "\(row.label) \(column < 10 ? "0" : "")\(column):00: \(counted(value, "episode"))"
                let x = left + Double(column) * width
                // A single episode is seen beside many.
                let shade = value > 0 ? 0.2 + 0.8 * Double(value) / top : 0
                rectangle(value > 0 ? "bar" : "empty", x + 1, y + 1, width - 2, height - 2, title: title, opacity: shade)
            }
            y += height
        }
        for column in stride(from: 0, to: columns, by: 3) {
            text("\(column < 10 ? "0" : "")\(column):00", "note", left + Double(column) * width, y + 16)
        }
        y += 18
    }

    private mutating func text(_ text: String, _ style: String, _ x: Double, _ y: Double, anchor: String? = nil) {
        guard !text.isEmpty else { return }
        let anchor = anchor.map { " text-anchor=\"\($0)\"" } ?? ""
        body +=
            "<text class=\"\(style)\" x=\"\(Self.number(x))\" y=\"\(Self.number(y))\"\(anchor)>\(text.oneLine.xmlEscaped)</text>\n"
    }

    private mutating func rectangle(
        _ style: String, _ x: Double, _ y: Double, _ width: Double, _ height: Double, title: String, opacity: Double? = nil
    ) {
        var attributes = zip(["x", "y", "width", "height"], [x, y, width, height]).map { "\($0)=\"\(Self.number($1))\"" }
        if let opacity, opacity > 0, opacity < 1 { attributes.append("fill-opacity=\"\(Self.number(opacity))\"") }
        body +=
            "<rect class=\"\(style)\" \(attributes.joined(separator: " ")) rx=\"1.5\"><title>\(title.oneLine.xmlEscaped)</title></rect>\n"
    }

    private mutating func line(_ style: String, _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) {
        let attributes = zip(["x1", "y1", "x2", "y2"], [x1, y1, x2, y2]).map { "\($0)=\"\(Self.number($1))\"" }
        body += "<line class=\"\(style)\" \(attributes.joined(separator: " "))/>\n"
    }

    /// Rounds to a tenth of a unit, which is finer than any screen.
    private static func number(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? String(tenths / 10) : "\(tenths / 10).\(tenths % 10)"
    }
}
