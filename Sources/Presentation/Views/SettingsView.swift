import Domain

/// The settings in force, each with its origin.
public struct SettingsView: View {
    public struct Entry: Sendable {
        public let setting: Setting
        public let text: String
        public let origin: SettingOrigin

        public init(_ setting: Setting, _ text: String, _ origin: SettingOrigin) {
            self.setting = setting
            self.text = text
            self.origin = origin
        }
    }

    let entries: [Entry]

    public init(_ entries: [Entry]) { self.entries = entries }

    public func lines(for display: Display) -> [String] {
        var table = Table([.init("SETTING"), .init("VALUE", minimum: 12), .init("FROM", minimum: 12)])
        table.rows = entries.map { entry in
            var value = Table.Cell(entry.text.isEmpty ? "none" : entry.text, style: entry.origin == .default ? nil : .bold)
            value.pipe = entry.text.exactLine
            return [
                .init(entry.setting.rawValue), value,
                .init(entry.origin.words, style: entry.origin == .default ? .dim : nil),
            ]
        }
        return table.lines(for: display)
    }

    public func jsonLines(_ emit: (String) -> Void) { for entry in entries { emit(jsonLine(Row(entry: entry))) } }

    /// A named query, as a line of the list.
    public struct NamedQuery: View {
        let name: String
        let query: String
        let file: String
        let line: Int

        public init(_ name: String, _ query: String, file: String, line: Int) {
            (self.name, self.query, self.file, self.line) = (name, query, file, line)
        }

        public func lines(for display: Display) -> [String] {
            let from = SettingOrigin.file(path: file, line: line).words
            guard display.isTerminal else { return ["query.\(name)\t\(query.exactLine)\t\(from)"] }
            return display.fitted("query.\(name)  \(query.oneLine)  \(from)")
        }

        public func jsonLines(_ emit: (String) -> Void) { emit(jsonLine(NamedRow(query: self))) }
    }

    private struct NamedRow: Fields {
        let query: NamedQuery

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.text("name", "query." + query.name)
            visitor.text("value", query.query)
            visitor.text("from", "file")
            visitor.text("file", query.file)
            visitor.integer("line", query.line)
        }
    }

    private struct Row: Fields {
        let entry: Entry

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.text("name", entry.setting.rawValue)
            visitor.text("value", entry.text)
            visitor.text("from", entry.origin.kind)
            switch entry.origin {
            case .environment(let variable): visitor.text("variable", variable)
            case .file(let path, let line):
                visitor.text("file", path)
                visitor.integer("line", line)
            case .option, .default: break
            }
        }
    }
}

/// A settings file that explains every setting and its default, all in comments.
public enum SettingsTemplate {
    public static func text(_ entries: [SettingsView.Entry]) -> String {
        let settings = entries.map { entry in
            "# \(entry.setting.summary)\n#\(entry.setting.rawValue) = \(entry.text)\n"
        }
        return """
            # Settings for jimmy, one per line: name = value, without quotes.
            # Comments have lines of their own. Remove the # before a setting to change it.
            # Options, and environment variables such as JIMMY_PER_HOST, take precedence.
            # 'jimmy config' shows the settings in force; see also 'jimmy help settings'.


            """ + settings.joined(separator: "\n")
    }

    /// A settings file with one setting changed. Everything else stays unchanged; a new line is added below the
    /// commented one of the same setting, or at the end.
    ///
    /// - Parameter value: nil removes the setting, so that its default applies.
    public static func text(_ file: String, _ setting: String, _ value: String?) -> String {
        func names(_ line: Substring) -> Bool {
            guard let equals = line.firstIndex(of: "=") else { return false }
            return line[..<equals].split(whereSeparator: \.isWhitespace) == [setting[...]]
        }
        var lines = file.split(separator: "\n", omittingEmptySubsequences: false)
        if lines.last == "" { lines.removeLast() }
        let lineIndex = lines.lastIndex(where: names)
        let commented = lines.lastIndex { $0.hasPrefix("#") && names($0.dropFirst()) }.map { $0 + 1 }
        // Only the last line of a setting takes effect, so all of them are replaced.
        var result: [Substring] = []
        for (index, line) in lines.enumerated() {
            if let value, lineIndex == nil, index == commented { result.append("\(setting) = \(value)") }
            if !names(line) {
                result.append(line)
            } else if let value, index == lineIndex {
                result.append("\(setting) = \(value)")
            }
        }
        if let value, lineIndex == nil, commented == nil || commented == lines.count {
            result.append("\(setting) = \(value)")
        }
        return result.map { $0 + "\n" }.joined()
    }

    /// The message of 'jimmy config set' and 'unset'.
    public static func changed(_ setting: Setting, to value: String?) -> String {
        value.map { "\(setting.rawValue) = \(setting.isSecret ? "(set)" : $0.oneLine)" }
            ?? "\(setting.rawValue) is back to its default."
    }

    /// The same for a named query.
    public static func changed(query name: String, to query: String?) -> String {
        query.map { "query:\(name) means \($0.oneLine)" } ?? "query:\(name) means nothing any more."
    }
}
