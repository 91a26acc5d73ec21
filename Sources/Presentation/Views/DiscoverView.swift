public import Domain

/// The results of a directory search, each with its feed URL, ready for `subscribe`.
public struct DiscoverView: View {
    let entries: [DirectoryEntry]

    public init(_ entries: [DirectoryEntry]) { self.entries = entries }

    public func lines(for display: Display) -> [String] {
        guard display.isTerminal else {
            return entries.map { entry in
                [entry.feedURL, entry.title, entry.author ?? "", entry.episodes.map(String.init) ?? ""]
                    .map(\.oneLine).joined(separator: "\t")
            }
        }
        return entries.flatMap { entry in
            let medium = entry.medium == "podcast" ? nil : entry.medium
            let facts = [entry.author, entry.episodes.map { counted($0, "episode") }, medium].compactMap { $0?.oneLine }
            let title = display.styled(entry.title.oneLine, .bold)
            return display.fitted(facts.isEmpty ? title : "\(title)  \(facts.joined(separator: ", "))")
                + ["  \(entry.feedURL.oneLine)"]
        }
    }

    public func jsonLines(_ emit: (String) -> Void) {
        for entry in entries { emit(jsonLine(Row(entry: entry))) }
    }

    private struct Row: Fields {
        let entry: DirectoryEntry

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.text("title", entry.title)
            visitor.text("author", entry.author)
            visitor.text("feedURL", entry.feedURL)
            visitor.integer("episodes", entry.episodes)
            visitor.text("imageURL", entry.imageURL)
            visitor.text("link", entry.link)
            visitor.text("medium", entry.medium)
            visitor.text("directory", entry.directory.rawValue)
            visitor.integer("directoryID", entry.directoryID)
        }
    }
}
