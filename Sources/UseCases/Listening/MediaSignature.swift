import Domain

/// What a downloaded file is, by its first bytes.
///
/// Servers send error messages and pages with status 200 and an audio type, and audio as `text/html`. Signatures:
/// id3.org, ISO 11172-3 and 13818-7 (frames), ISO 14496-12 (`ftyp`), RFC 3533 (Ogg), RFC 8794 (EBML).
///
/// libmagic 5.44 knows far more kinds, but decides these worse: it names Opus like Vorbis, takes a playlist, `<div>` and
/// `<meta>` for plain text, and a file whose ID3 tag is longer than the bytes it gets for unknown data.
enum MediaSignature: Equatable, Sendable {
    /// Audio or video, with the extension for its name; nil if the signature leaves that to the type.
    case media(ext: String?)
    /// A page, a message, a playlist, an image or a document.
    case notMedia
    case unknown

    /// Number of first bytes to examine.
    static let length = 1_024

    /// All extensions that signatures give.
    static let extensions = [
        "mp3", "m4a", "aac", "opus", "ogg", "mp4", "m4b", "flac", "wav", "mov", "webm", "mkv", "ogv", "mp2", "aiff", "avi", "amr",
        "flv", "3gp", "wma",
    ]

    init(_ start: [UInt8]) {
        let bytes = start.prefix(Self.length)
        if let ext = Self.container(Array(bytes)) {
            self = .media(ext: ext.isEmpty ? nil : ext)
        } else if Self.others.contains(where: { bytes.starts(with: $0) }) || Self.isPicture(bytes) || Self.isText(bytes) {
            self = .notMedia
        } else {
            self = .unknown
        }
    }

    /// Judges by the signature, then by the server's type, then by the URL, then by the feed's type.
    ///
    /// - Returns: the extension for the file's name; nil if it is no media file.
    static func fileExtension(of start: [UInt8], serverType: String?, url: String, feedType: String?) -> String? {
        let server = MediaType.essence(serverType)
        switch MediaSignature(start) {
        case .notMedia: return nil
        case .unknown where MediaType.kind(type: server, url: "") == .other: return nil
        case .media(let ext?):
            // An MP4 file with nothing but audio has the same signature as one with video.
            let type = server.hasPrefix("video/") ? server : "\(server) \(MediaType.essence(feedType))"
            return ext == "mp4" && type.contains("audio/") ? "m4a" : ext
        case .media, .unknown:
            for candidate in [MediaType.fileExtension(type: server, url: url), MediaType.fileExtension(type: feedType, url: url)]
            where candidate != "bin" { return candidate }
            return MediaSignature(start) == .unknown ? "bin" : "mp3"
        }
    }

    /// The extension; empty for an ID3 tag in front of anything but MP3; nil if there is no known signature.
    private static func container(_ bytes: [UInt8]) -> String? {
        func has(_ text: String, at offset: Int = 0) -> Bool {
            bytes.count >= offset + text.utf8.count && bytes[offset...].starts(with: text.utf8)
        }
        if has("ID3") { return afterTag(bytes) ?? "" }
        if has("OggS") {
            let head = bytes.prefix(80)
            if head.contains(subsequence: "OpusHead") { return "opus" }
            return head.contains(subsequence: "theora") ? "ogv" : "ogg"
        }
        if has("fLaC") { return "flac" }
        if has("RIFF"), has("WAVE", at: 8) { return "wav" }
        if has("RIFF"), has("AVI ", at: 8) { return "avi" }
        if has("FORM"), has("AIF", at: 8) { return "aiff" }
        if has("#!AMR") { return "amr" }
        if has("FLV\u{1}") { return "flv" }
        if has("ftyp", at: 4) {
            if imageBrands.contains(where: { has($0, at: 8) }) { return nil }
            if has("M4B", at: 8) { return "m4b" }
            if has("M4A", at: 8) || has("M4P", at: 8) { return "m4a" }
            return has("qt  ", at: 8) ? "mov" : has("3gp", at: 8) ? "3gp" : "mp4"
        }
        if bytes.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) { return bytes.contains(subsequence: "webm") ? "webm" : "mkv" }
        if bytes.starts(with: [0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11]) { return "wma" }
        return frame(bytes)
    }

    /// Pictures in the container of MP4: AVIF and HEIF.
    private static let imageBrands = ["avif", "avis", "heic", "heix", "mif1", "msf1"]

    /// What follows an ID3 tag, if the tag ends within these bytes. AAC has one too, and so have some FLAC files.
    private static func afterTag(_ bytes: [UInt8]) -> String? {
        guard bytes.count > 10 else { return nil }
        let size = bytes[6..<10].reduce(0) { $0 << 7 | Int($1 & 127) } + 10
        guard size < bytes.count else { return nil }
        let audio = Array(bytes[size...])
        return audio.starts(with: "fLaC".utf8) ? "flac" : frame(audio)
    }

    /// A frame of MPEG audio (layer II or III) or of AAC in ADTS.
    private static func frame(_ bytes: [UInt8]) -> String? {
        guard bytes.count >= 4, bytes[0] == 0xFF, bytes[1] & 0xE0 == 0xE0 else { return nil }
        let (version, layer) = (bytes[1] >> 3 & 3, bytes[1] >> 1 & 3)
        if layer == 0 { return bytes[1] & 0xF0 == 0xF0 && bytes[2] >> 2 & 15 < 13 ? "aac" : nil }
        // Layer I, which nobody publishes, looks like the byte order mark of UTF-16.
        guard version != 1, layer != 3, bytes[2] >> 4 != 15, bytes[2] >> 2 & 3 != 3 else { return nil }
        return layer == 1 ? "mp3" : "mp2"
    }

    /// PNG, JPEG, GIF, TIFF, PDF, ZIP with all that is built on it, gzip, 7-Zip, RAR and BitTorrent.
    private static let others: [[UInt8]] = [
        [0x89, 0x50, 0x4E, 0x47], [0xFF, 0xD8, 0xFF], Array("GIF8".utf8), [0x49, 0x49, 0x2A, 0], [0x4D, 0x4D, 0, 0x2A],
        Array("%PDF".utf8), [0x50, 0x4B, 3, 4], [0x1F, 0x8B, 8], [0x37, 0x7A, 0xBC, 0xAF], Array("Rar!".utf8),
        Array("d8:announce".utf8),
    ]

    /// WebP, AVIF and HEIF, whose names come after a size.
    private static func isPicture(_ bytes: ArraySlice<UInt8>) -> Bool {
        let name = bytes.dropFirst(8)
        if bytes.starts(with: "RIFF".utf8) { return name.starts(with: "WEBP".utf8) }
        return bytes.dropFirst(4).starts(with: "ftyp".utf8) && imageBrands.contains { name.starts(with: $0.utf8) }
    }

    /// Markup, JSON, a playlist, words with blanks between them, or a URL. No media file consists of such bytes.
    private static func isText(_ bytes: ArraySlice<UInt8>) -> Bool {
        var bytes = bytes
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            bytes = bytes.dropFirst(2).filter { $0 != 0 }[...]
        }
        let text = bytes.drop { [0xEF, 0xBB, 0xBF, 9, 10, 13, 32].contains($0) }
        guard let first = text.first else { return !bytes.isEmpty }
        guard text.allSatisfy({ $0 >= 32 && $0 != 127 || [9, 10, 12, 13, 27].contains($0) }) else { return false }
        if [UInt8(ascii: "<"), UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "#")].contains(first) { return true }
        return text.contains { [9, 10, 13, 32].contains($0) } || text.starts(with: "http".utf8)
    }
}

extension Collection<UInt8> {
    fileprivate func contains(subsequence text: String) -> Bool { firstRange(of: Array(text.utf8)) != nil }
}
