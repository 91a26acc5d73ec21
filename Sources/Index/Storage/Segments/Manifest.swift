internal import Domain

/// The list of the segments that make up the index, oldest first: a small text file that is replaced as a whole.
///
/// ```
/// jimmy-index 9
/// library 4583486098761502303
/// revision 418
/// next 13
/// segment 5 1048576
/// segment 12 2044
/// sum 8f1b2c3d4e5f6071
/// ```
/// `library` is the id of the library that the index was made from, `revision` its revision that the index was last
/// reconciled with. A segment is listed with its number and size; `next` is the number for the next one; `sum` is the
/// hash of the lines above it. An index of another version, or of another library, is rebuilt.
struct Manifest: Equatable {
    static let version = 9

    struct Entry: Equatable {
        var number: Int
        var size: Int
    }

    /// The library that the index was made from; nil if it has no id.
    var library: UInt64?
    /// The library's revision that the index was last reconciled with; nil if it never was.
    var revision: Int?
    var next = 1
    var segments: [Entry] = []

    init() {}

    /// nil if the text is not a manifest of this version.
    init?(_ bytes: ByteView) {
        let text = String(decoding: bytes, as: UTF8.self)
        var lines = text.split(separator: "\n")
        guard lines.count >= 3, let sum = lines.popLast() else { return nil }
        guard sum == "sum \(Self.hash(text.dropLast(sum.count + 1)))", lines[0] == "jimmy-index \(Self.version)" else {
            return nil
        }
        var fields = lines[1...].map { $0.split(separator: " ") }[...]
        if let first = fields.first, first[0] == "library" {
            guard first.count == 2, let library = UInt64(first[1]) else { return nil }
            self.library = library
            fields.removeFirst()
        }
        if let first = fields.first, first[0] == "revision" {
            guard first.count == 2, let revision = Int(first[1]) else { return nil }
            self.revision = revision
            fields.removeFirst()
        }
        guard let first = fields.popFirst(), first.count == 2, first[0] == "next", let next = Int(first[1]) else { return nil }
        self.next = next
        for line in fields {
            guard line.count == 3, line[0] == "segment", let number = Int(line[1]), let size = Int(line[2]) else { return nil }
            segments.append(Entry(number: number, size: size))
        }
    }

    var text: String {
        var text = "jimmy-index \(Self.version)\n"
        if let library { text += "library \(library)\n" }
        if let revision { text += "revision \(revision)\n" }
        text += "next \(next)\n"
        for segment in segments { text += "segment \(segment.number) \(segment.size)\n" }
        return text + "sum \(Self.hash(text[...]))\n"
    }

    private static func hash(_ text: Substring) -> String {
        let digits = String(XXH64.hash(text.utf8), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
