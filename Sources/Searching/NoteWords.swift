import Domain

/// Words that the notes of bookmarks are searched for: `mark:word`, `mark:"two words"`, `mark:beg*`.
public struct NoteWords: Hashable, Sendable {
    /// Folded; empty for any bookmark.
    private let words: [String]
    /// True if the last word may continue.
    private let isPrefix: Bool

    public init(_ text: String, isPrefix: Bool = false) {
        words = TitleName.foldedWords(of: text)
        self.isPrefix = isPrefix && !words.isEmpty
    }

    /// Any bookmark.
    static let any = NoteWords("")

    /// True if the note has the words side by side.
    public func match(_ note: String) -> Bool {
        guard let last = words.last else { return true }
        let noted = TitleName.foldedWords(of: note)
        return noted.indices.contains { start in
            let end = start + words.count
            guard end <= noted.count, noted[start..<end - 1].elementsEqual(words.dropLast()) else { return false }
            return isPrefix ? noted[end - 1].hasPrefix(last) : noted[end - 1] == last
        }
    }
}
