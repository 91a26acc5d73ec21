/// Draws figures with block characters.
extension Figure {
    func lines(for display: Display) -> [String] {
        let title = title.truncated(to: display.width)
        let note = note.truncated(to: max(display.width - title.count - 2, 0))
        let heading = display.styled(title, .bold) + (note.isEmpty ? "" : "  " + display.styled(note, .dim))
        switch form {
        case .columns(let values, let labels): return [heading] + Self.columns(values, labels, display)
        case .bars(let bars): return [heading] + Self.bars(bars, display)
        case .heat(let rows): return [heading] + Self.heat(rows, display)
        }
    }

    private static let height = 6
    private static let eighths = Array(" ▁▂▃▄▅▆▇█")
    private static let parts = Array(" ▏▎▍▌▋▊▉█")

    private static func columns(_ values: [Double], _ labels: [(column: Int, text: String)], _ display: Display) -> [String] {
        let top = ceiling(values)
        let scale = [top, top / 2, 0].map { $0 == $0.rounded() ? grouped(Int($0)) : "" }
        let margin = scale.map(\.count).max() ?? 0
        let width = max(1, min(4, (display.width - margin - 2) / max(values.count, 1)))
        let levels = values.map { $0 > 0 ? max(1, Int(($0 / top * Double(height * 8)).rounded())) : 0 }
        var lines = (0..<height).reversed().map { row in
            let cells = levels.map { level in
                // Leaves a gap between columns if there is room.
                let cell = eighths[min(max(level - row * 8, 0), 8)]
                return String(repeating: cell, count: max(width - 1, 1)) + (width > 1 ? " " : "")
            }
            let mark = row == height - 1 ? scale[0] : row == height / 2 - 1 ? scale[1] : ""
            return display.styled(mark.padded(to: margin, rightAligned: true) + " │", .dim)
                + display.styled(cells.joined().trimmedRight, .bar)
        }
        lines.append(
            display.styled(
                scale[2].padded(to: margin, rightAligned: true) + " └" + String(repeating: "─", count: values.count * width), .dim
            ))
        var axis = ""
        for (column, text) in labels {
            let start = column * width
            guard axis.isEmpty || start > axis.count, start + text.count <= values.count * width else { continue }
            axis += String(repeating: " ", count: start - axis.count) + text
        }
        lines.append(display.styled(String(repeating: " ", count: margin + 2) + axis, .dim))
        return lines
    }

    private static let shades = Array("·░▒▓█")

    /// A column for each hour; for several hours on a narrow terminal.
    private static func heat(_ rows: [HeatRow], _ display: Display) -> [String] {
        let columns = max(rows.map(\.values.count).max() ?? 0, 1)
        let margin = rows.map(\.label.count).max() ?? 0
        let room = max(display.width - margin - 2, 1)
        let group = [1, 2, 3, 4, 6, 8, 12].first { columns / $0 <= room } ?? columns
        let width = max(1, min(3, room / (columns / group)))
        let sums = rows.map { row in
            stride(from: 0, to: row.values.count, by: group).map { row.values.dropFirst($0).prefix(group).reduce(0, +) }
        }
        let top = max(sums.joined().max() ?? 0, 1)
        var lines = zip(rows, sums).map { row, sums in
            let cells = sums.map { sum in
                String(repeating: shades[sum == 0 ? 0 : 1 + min(3, sum * 4 / (top + 1))], count: width)
            }
            return display.styled(row.label.padded(to: margin) + " │", .dim) + display.styled(cells.joined(), .bar)
        }
        var axis = ""
        for column in stride(from: 0, to: columns, by: max(3, group)) {
            let start = column / group * width
            guard axis.isEmpty || start > axis.count, start + 2 <= columns / group * width else { continue }
            axis += String(repeating: " ", count: start - axis.count) + (column < 10 ? "0" : "") + String(column)
        }
        lines.append(display.styled(String(repeating: " ", count: margin + 2) + axis, .dim))
        return lines
    }

    private static func bars(_ bars: [Bar], _ display: Display) -> [String] {
        let top = max(bars.map(\.value).max() ?? 0, 1)
        let texts = min(bars.map(\.text.displayWidth).max() ?? 0, display.width / 2)
        let labels = min(bars.map(\.label.displayWidth).max() ?? 0, max(10, (display.width - texts) / 2))
        let room = max(display.width - labels - texts - 4, 3)
        return bars.map { bar in
            let eighths = bar.value > 0 ? max(1, Int((bar.value / top * Double(room * 8)).rounded())) : 0
            let failed = bar.failed > 0 ? max(8, Int((bar.failed / top * Double(room)).rounded()) * 8) : 0
            let fine = max(eighths - failed, 0)
            let drawn = String(repeating: "█", count: fine / 8) + (fine % 8 > 0 ? String(parts[fine % 8]) : "")
            let text = bar.text.truncated(to: display.width - labels - 4 - drawn.count - failed / 8)
            return [
                bar.label.padded(to: labels) + "  ",
                display.styled(drawn, .bar), display.styled(String(repeating: "█", count: failed / 8), .failed),
                drawn.isEmpty && failed == 0 ? "" : "  ", display.styled(text, bar.isFailing ? .failed : .dim),
            ].joined().trimmedRight
        }
    }
}

extension String {
    fileprivate var trimmedRight: String { String(prefix(upTo: lastIndex { $0 != " " }.map { index(after: $0) } ?? startIndex)) }
}
