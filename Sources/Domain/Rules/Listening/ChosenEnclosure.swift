import Addresses

extension Item {
    /// The file to play, download and export: the first audio or video, else the first that is no image, document or
    /// torrent. Enclosures come before alternate ones. Only http and https count; nil if there is no such file.
    public var chosenEnclosure: Enclosure? {
        var fallback: Enclosure?
        // Most items have one enclosure, and it is audio.
        for offered in [enclosures, hasExtras ? alternates : []] {
            for enclosure in offered {
                guard let url = enclosure.url, WebURL(url) != nil else { continue }
                switch MediaType.kind(type: enclosure.type, url: url) {
                case .audioOrVideo: return enclosure
                case .unknown: fallback = fallback ?? enclosure
                case .other: break
                }
            }
        }
        return fallback
    }

    /// What other programs may get of the enclosures: the chosen one first, and no URL that is neither http nor https,
    /// which could name files of this machine.
    public var safeEnclosures: [Enclosure] {
        let safe = enclosures.filter { $0.url.flatMap(WebURL.init) != nil }
        guard let chosen = chosenEnclosure, chosen != safe.first else { return safe }
        return [chosen] + safe.filter { $0 != chosen }
    }

    /// This item with `safeEnclosures`, alternate ones without other URLs, and a title of one line: scripts read line by
    /// line.
    public var forOtherPrograms: Item {
        let safe = safeEnclosures
        let hasUnsafeAlternates =
            hasExtras
            && extras.alternateEnclosures.contains { $0.sources.contains { $0.uri.flatMap(WebURL.init) == nil } }
        let isTitleLong = texts.withBytes(of: .title) { title in title.indices.contains { title[$0] == 10 || title[$0] == 13 } }
        guard safe != enclosures || hasUnsafeAlternates || isTitleLong else { return self }
        var item = self
        if isTitleLong { item.title = title?.split(whereSeparator: \.isNewline).joined(separator: " ") }
        item.enclosures = safe
        if hasUnsafeAlternates {
            for index in item.extras.alternateEnclosures.indices {
                item.extras.alternateEnclosures[index].sources.removeAll { $0.uri.flatMap(WebURL.init) == nil }
            }
        }
        return item
    }

    /// The sources of alternate enclosures, the default ones first.
    private var alternates: [Enclosure] {
        let offered: [AlternateEnclosure] = extras.alternateEnclosures
        return (offered.filter { $0.default == true } + offered.filter { $0.default != true }).flatMap { alternate in
            alternate.sources.map { source in
                var enclosure = Enclosure()
                enclosure.url = source.uri
                enclosure.type = source.contentType ?? alternate.type
                enclosure.length = alternate.length
                return enclosure
            }
        }
    }
}
