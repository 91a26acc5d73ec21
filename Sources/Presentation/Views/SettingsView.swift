import Domain

/// What is in force, and where it comes from.
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
            [
                .init(entry.setting.rawValue),
                .init(entry.text.isEmpty ? "none" : entry.text, pipe: entry.text, style: entry.origin == .default ? nil : .bold),
                .init(entry.origin.words, style: entry.origin == .default ? .dim : nil),
            ]
        }
        return table.lines(for: display)
    }

    public func jsonLines(_ emit: (String) -> Void) { for entry in entries { emit(jsonLine(Row(entry: entry))) } }

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

/// A settings file in which every line is a comment: what can be set, and what holds while nothing is.
public enum SettingsTemplate {
    public static func text(_ entries: [SettingsView.Entry]) -> String {
        let settings = entries.map { entry in
            "# \(entry.setting.summary)\n#\(entry.setting.rawValue) = \(entry.text)\n"
        }
        return """
            # Settings of jimmy: lines of the form name = value, without quotes.
            # A comment has a line of its own. Take away a # to set something.
            # Options and environment variables such as JIMMY_PER_HOST win over this file;
            # 'jimmy config' shows what is in force, 'jimmy help settings' explains more.


            """ + settings.joined(separator: "\n")
    }
}
