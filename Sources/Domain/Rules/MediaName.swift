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
    public func path(of listed: ListedEpisode, ext: String, mark: String? = nil) -> String {
        let values = Values(listed: listed, ext: ext)
        return parts.enumerated().map { index, pieces in
            var name = ""
            var dropsBlank = false
            for piece in pieces {
                switch piece {
                case .text(let text):
                    name += dropsBlank && text.hasPrefix(" ") ? String(text.dropFirst()) : text
                    dropsBlank = false
                case .field(let field):
                    let value = values[field] ?? ""
                    name += value.map { $0 == "/" ? "_" : String($0) }.joined()
                    dropsBlank = value.isEmpty
                }
            }
            let isLast = index + 1 == parts.count
            return SafeName.make(name, ext: isLast ? values.ext : nil, mark: isLast ? mark : nil)
        }.joined(separator: "/")
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
    private static let longest = 255 - ".part".utf8.count
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
        // Names that begin with `.jimmy` are reserved.
        if stem.lowercased().hasPrefix(".jimmy") { stem = "_" + stem }
        if end.isEmpty, stem.lowercased().hasSuffix(".part") { stem += "_" }
        while stem.utf8.count + end.utf8.count > longest, !stem.isEmpty { stem.removeLast() }
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
