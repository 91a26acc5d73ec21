/// The template for paths of downloaded files, relative to the folder of downloads: `{podcast}/{date} {title}.{ext}`.
///
/// Every part of a path is a valid name on ext4, exFAT and NTFS, and never leads out of the folder.
public struct MediaName: Equatable, Sendable {
    private enum Piece: Equatable {
        case text(String)
        case field(Field)
    }

    public enum Field: String, CaseIterable, Sendable {
        case podcast, title, date, id, season, episode, guid, ext
    }

    private let parts: [[Piece]]
    /// As the user wrote it.
    public let text: String

    public static let usual = "{podcast}/{date} {title}.{ext}"

    /// nil if it has an unknown field or an unclosed brace, or would lead out of the folder.
    public init?(_ text: String) {
        guard !text.hasPrefix("/") else { return nil }
        var parts: [[Piece]] = []
        for part in text.split(separator: "/", omittingEmptySubsequences: true) {
            guard part != "..", part != "." else { return nil }
            var pieces: [Piece] = []
            var remainder = part[...]
            while let brace = remainder.firstIndex(where: { $0 == "{" || $0 == "}" }) {
                guard remainder[brace] == "{", let end = remainder[brace...].firstIndex(of: "}"),
                    let field = Field(rawValue: String(remainder[remainder.index(after: brace)..<end]))
                else { return nil }
                pieces += [.text(String(remainder[..<brace])), .field(field)]
                remainder = remainder[remainder.index(after: end)...]
            }
            pieces.append(.text(String(remainder)))
            parts.append(pieces)
        }
        guard !parts.isEmpty else { return nil }
        self.parts = parts
        self.text = text
    }

    /// The path of an episode's file, relative to the folder.
    ///
    /// - Parameters:
    ///   - ext: the extension, without a dot.
    ///   - mark: distinguishes it from another file of the same name; nil for none.
    ///   - podcastFolder: the folder that has files of the podcast; nil to name it after the podcast.
    public func path(of listed: ListedEpisode, ext: String, mark: String? = nil, podcastFolder: String? = nil) -> String {
        let values = Values(listed: listed, ext: ext)
        return parts.enumerated().map { index, pieces in
            let isLast = index + 1 == parts.count
            if index == podcastPart, let podcastFolder { return podcastFolder }
            let name = Self.words(of: pieces) { (values[$0] ?? "").replacing("/", with: "_") }
            return SafeName.make(name, ext: isLast ? values.ext : nil, mark: isLast ? mark : nil)
        }.joined(separator: "/")
    }

    /// The folder of a podcast in the path of one of its files, relative to the folder of downloads; nil if the template
    /// has no folder for each podcast, or did not make this path.
    public func podcastFolder(in path: Substring) -> String? {
        let names = path.split(separator: "/")
        guard let podcastPart, names.count == parts.count else { return nil }
        return String(names[podcastPart])
    }

    /// The folder whose name is the podcast's.
    private var podcastPart: Int? {
        parts.dropLast().firstIndex { $0.filter { $0 != .text("") } == [.field(.podcast)] }
    }

    /// The words of a name. One whose fields are all empty is left out, with the dash behind it.
    private static func words(of pieces: [Piece], _ value: (Field) -> String) -> String {
        var words: [[Piece]] = [[]]
        for piece in pieces {
            guard case .text(let text) = piece else {
                words[words.count - 1].append(piece)
                continue
            }
            for (index, word) in text.split(separator: " ", omittingEmptySubsequences: false).enumerated() {
                if index > 0 { words.append([]) }
                if !word.isEmpty { words[words.count - 1].append(.text(String(word))) }
            }
        }
        var texts: [String] = []
        var isLeftOut = false
        for word in words {
            let fields = word.compactMap { if case .field(let field) = $0 { value(field) } else { nil } }
            if !fields.isEmpty, fields.allSatisfy(\.isEmpty) {
                isLeftOut = true
                continue
            }
            let text = text(of: word, value)
            if isLeftOut, fields.isEmpty, !text.contains(where: { $0.isLetter || $0.isNumber }) { continue }
            isLeftOut = false
            texts.append(text)
        }
        return texts.joined(separator: " ")
    }

    /// Text between two empty fields is left out: the `x` of `{season}x{episode}`.
    private static func text(of word: [Piece], _ value: (Field) -> String) -> String {
        func isEmptyField(_ index: Int) -> Bool {
            if word.indices.contains(index), case .field(let field) = word[index] { value(field).isEmpty } else { false }
        }
        return word.indices.map { index in
            switch word[index] {
            case .field(let field): value(field)
            case .text(let text): isEmptyField(index - 1) && isEmptyField(index + 1) ? "" : text
            }
        }.joined()
    }

    private struct Values {
        let listed: ListedEpisode
        let ext: String

        subscript(field: Field) -> String? {
            let item = listed.episode.item
            switch field {
            case .podcast: return listed.podcast.displayTitle
            case .title: return item.title ?? listed.episode.id.text
            case .date: return item.publishedAt.map { String($0.description.prefix(10)) }
            case .id: return listed.episode.id.text
            case .season: return item.season?.number?.plain
            case .episode: return item.episode?.number?.plain
            case .guid: return item.guid
            case .ext: return ext
            }
        }
    }
}

/// File names that are valid on every file system.
enum SafeName {
    /// Most bytes of UTF-8, leaving room for `.part`.
    private static let maxLength = 255 - ".part".utf8.count
    private static let forbidden = Set("<>:\"/\\|?*".unicodeScalars)
    private static let devices: Set<String> = Set(
        ["con", "prn", "aux", "nul", "conin$", "conout$", "clock$"] + (0...9).flatMap { ["com\($0)", "lpt\($0)"] }
            + "¹²³".flatMap { ["com\($0)", "lpt\($0)"] })

    /// - Parameters:
    ///   - ext: kept at the end when the name is cut.
    ///   - mark: put before the extension.
    static func make(_ name: String, ext: String?, mark: String?) -> String {
        var stem = clean(name)
        var end = ""
        if let ext, !ext.isEmpty, stem.hasSuffix("." + ext) {
            end = "." + ext
            stem.removeLast(end.count)
        }
        if let mark { end = " (\(clean(mark)))" + end }
        stem = trimmed(stem)
        if stem.isEmpty || stem.allSatisfy({ $0 == "." }) { stem = "_" }
        // Windows ignores the extension of such a name, and blanks before it.
        if devices.contains(trimmed(String(stem.prefix { $0 != "." })).lowercased()) { stem = "_" + stem }
        // Such names are hidden: `.NET Rocks!`. Those that begin with `.jimmy` are reserved.
        if stem.hasPrefix(".") { stem = "_" + stem }
        if end.isEmpty, stem.lowercased().hasSuffix(".part") { stem += "_" }
        while stem.utf8.count + end.utf8.count > maxLength, !stem.isEmpty { stem.removeLast() }
        // The cut may have left a name that ends with a blank or a dot.
        return trimmed(stem) + end
    }

    private static func clean(_ name: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .lineSeparator, .paragraphSeparator: result.append(" ")
            default: result.append(forbidden.contains(scalar) ? "_" : scalar)
            }
        }
        return String(result)
    }

    /// The name without blanks at either end and dots at the end.
    private static func trimmed(_ name: String) -> String {
        var name = name[...]
        while name.first?.isWhitespace ?? false { name.removeFirst() }
        while let last = name.last, last.isWhitespace || last == "." { name.removeLast() }
        return String(name)
    }
}
