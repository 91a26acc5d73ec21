internal import Domain

extension FeedBuilder {
    /// Source: Media RSS 1.5.1, media:content.
    mutating func readMediaContent(_ element: Element) {
        guard isInItem else { return }
        let type = element.text("type").lowercased
        let medium = element.text("medium").lowercased
        let url = url(element.text("url"))
        let kind = MediaKind(type: type, medium: medium, url: url ?? "")
        // Video sites give a player instead of a file, and its duration.
        if kind != .image { item.duration.offer(duration(element.text("duration")), rank: 1) }
        guard let url else { return }
        switch kind {
        case .playable:
            var enclosure = Enclosure()
            enclosure.url = url
            enclosure.type = repeatedTexts.string(element.text("type"))
            enclosure.length = readSize(element.text("fileSize"))
            item.add(enclosure, rank: 2)
        case .image: item.common.imageURL.offer(url, rank: 7)
        case .other: break
        }
    }
}

/// The kind of file of a media:content.
enum MediaKind {
    case playable, image, other

    /// By type, then by medium; if a feed gives neither, by the extension in the URL.
    init(type: String?, medium: String?, url: String) {
        if let medium, ["audio", "video"].contains(medium) {
            self = .playable
        } else if let type, type.hasPrefix("audio/") || type.hasPrefix("video/") {
            self = .playable
        } else if medium == "image" || type?.hasPrefix("image/") ?? false {
            self = .image
        } else if type == nil, medium == nil, let ext = MediaType.urlExtension(url),
            MediaType.isPlayable(extension: ext) || ext == "m3u8"
        {
            self = .playable
        } else {
            self = .other
        }
    }
}
