/// What a file is, by the type that a feed or a server gives and by the extension in its URL.
public enum MediaType {
    public enum Kind: Sendable {
        case audioOrVideo
        /// An image, a document, an archive or a torrent: nothing to play.
        case other
        /// Neither the type nor the extension tells.
        case unknown
    }

    /// The extension decides if it is known, since types are often set for all enclosures of a feed at once.
    public static func kind(type: String?, url: String) -> Kind {
        let type = essence(type)
        if let ext = urlExtension(url) {
            if playableExtensions.contains(ext) { return .audioOrVideo }
            if otherExtensions.contains(ext) { return .other }
        }
        if isPlaylist(type) { return .unknown }
        if type.hasPrefix("audio/") || type.hasPrefix("video/") || playableTypes.contains(type) { return .audioOrVideo }
        if type.hasPrefix("image/") || type.hasPrefix("text/") || otherTypes.contains(type) { return .other }
        return .unknown
    }

    /// The type in lower case, without parameters and blanks.
    package static func essence(_ type: String?) -> String {
        guard let type else { return "" }
        return type.prefix { $0 != ";" }.lowercased().filter { !$0.isWhitespace }
    }

    public static func isPlayable(extension ext: String) -> Bool { playableExtensions.contains(ext) }

    /// The extension for a file's name: from the type, else from the URL's path if it is one of audio or video, else `bin`.
    public static func fileExtension(type: String?, url: String) -> String {
        if let ext = extensions[essence(type)] { return ext }
        guard let ext = urlExtension(url), playableExtensions.contains(ext) else { return "bin" }
        return ext
    }

    /// In lower case; nil if the path's last part has none.
    public static func urlExtension(_ url: String) -> String? {
        let path = url.prefix { $0 != "?" && $0 != "#" }
        guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/") else { return nil }
        return path[path.index(after: dot)...].lowercased()
    }

    private static func isPlaylist(_ type: String) -> Bool { type.hasSuffix("mpegurl") || type.hasSuffix("scpls") }

    private static let extensions = [
        "audio/mpeg": "mp3", "audio/mp3": "mp3", "audio/x-mp3": "mp3", "audio/mpeg3": "mp3", "audio/mpg": "mp3",
        "audio/mp4": "m4a", "audio/x-m4a": "m4a", "audio/m4a": "m4a", "audio/x-m4b": "m4b", "audio/m4b": "m4b",
        "audio/aac": "aac", "audio/x-aac": "aac", "audio/aacp": "aac", "audio/ogg": "ogg", "application/ogg": "ogg",
        "audio/opus": "opus", "audio/flac": "flac", "audio/x-flac": "flac", "audio/wav": "wav", "audio/x-wav": "wav",
        "audio/x-ms-wma": "wma", "video/mp4": "mp4", "video/x-m4v": "m4v", "video/quicktime": "mov", "video/webm": "webm",
        "audio/webm": "webm", "video/x-matroska": "mkv", "video/ogg": "ogv",
    ]
    private static let playableExtensions: Set<String> = [
        "mp3", "m4a", "m4b", "m4v", "mp4", "aac", "ogg", "oga", "ogv", "opus", "flac", "wav", "wma", "wmv", "aif",
        "aiff", "mov", "avi", "mkv", "webm", "mpg", "mpeg", "mp2", "3gp", "amr", "flv", "mka",
    ]
    private static let playableTypes: Set<String> = ["application/ogg", "application/mp4", "application/x-matroska"]
    private static let otherExtensions: Set<String> = [
        "jpg", "jpeg", "png", "gif", "webp", "avif", "heic", "svg", "bmp", "tif", "tiff", "ico", "pdf", "epub", "mobi", "txt",
        "md", "rtf", "doc", "docx", "odt", "ppt", "pptx", "xls", "xlsx", "csv", "htm", "html", "xml", "json", "srt", "vtt",
        "zip", "rar", "7z", "gz", "tar", "torrent",
    ]
    private static let otherTypes: Set<String> = [
        "application/pdf", "application/epub+zip", "application/x-bittorrent", "application/zip", "application/x-zip-compressed",
        "application/msword", "application/rtf", "application/json", "application/xml", "application/xhtml+xml",
        "application/rss+xml", "application/atom+xml", "application/srt", "application/json+chapters",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ]
}
