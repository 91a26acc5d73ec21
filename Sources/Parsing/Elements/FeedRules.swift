internal import Domain

// The vocabulary: one line for each element of a feed, with its usual prefix, its parent and its action. `rank:` orders
// the sources of one value, 0 first; without it, the first element wins.
extension FeedVocabulary {
    /// The frame of RSS 0.9x, 1.0, 2.0 and Atom.
    static let structure: [Rule] = [
        .parent("channel", in: [.channel], of: .channel, open: { $0.readLanguage($1) }),
        .parent("item", in: [.channel, .item], of: .item, open: { $0.beginItem($1) }, close: { $0.endItem() }),
        .parent("atom:entry", in: [.channel, .item], of: .item, open: { $0.beginItem($1) }, close: { $0.endItem() }),
        // RSS 1.1 has its items in a list.
        .parent("items", in: [.channel], of: .channel),
        .parent("podcast:liveItem", in: [.channel], of: .item, open: { $0.beginLiveItem($1) }, close: { $0.endLiveItem() }),
    ]

    /// Elements of a channel or an Atom feed only.
    static let channelElements: [Rule] = [
        .text("language", in: [.channel]) { $0.channel.language.offer($1, rank: 0) },
        .text("dc:language", in: [.channel]) { $0.channel.language.offer($1, rank: 1) },
        .text("copyright", in: [.channel]) { $0.channel.copyright.offer($1, rank: 0) },
        .text("dc:rights", in: [.channel]) { $0.channel.copyright.offer($1, rank: 1) },
        .markup("atom:rights", in: [.channel]) { $0.channel.copyright.offer($1, rank: 2) },
        .markup("atom:copyright", in: [.channel]) { $0.channel.copyright.offer($1, rank: 2) },
        .text("generator", in: [.channel]) { $0.channel.channel.generator.offer($1) },
        .text("atom:generator", in: [.channel]) { $0.channel.channel.generator.offer($1) },
        .text("managingEditor", in: [.channel]) { $0.readEditor($1) },
        .text("webMaster", in: [.channel]) { $0.channel.ownerEmail.offer(Mailbox($1).email, rank: 2) },
        .text("lastBuildDate", in: [.channel]) { $0.channel.common.updatedAt.offer($0.date($1), rank: 0) },

        .parent("image", in: [.channel], of: .channelImage),
        .text("url", in: [.channelImage]) { $0.channel.common.imageURL.offer($0.url($1), rank: 2) },
        .text("atom:logo", in: [.channel]) { $0.channel.common.imageURL.offer($0.url($1), rank: 3) },
        .text("atom:icon", in: [.channel]) { $0.channel.common.imageURL.offer($0.url($1), rank: 4) },

        .text("ttl", in: [.channel]) { $0.channel.schedule.ttlMinutes.offer(readCount($1)) },
        .parent("skipHours", in: [.channel], of: .skipHours),
        .text("hour", in: [.skipHours]) { $0.readSkipHour($1) },
        .parent("skipDays", in: [.channel], of: .skipDays),
        .text("day", in: [.skipDays]) { $0.readSkipDay($1) },
        .text("sy:updatePeriod", in: [.channel]) { $0.channel.schedule.updatePeriod.offer($1) },
        .text("sy:updateFrequency", in: [.channel]) { $0.channel.schedule.updateFrequency.offer(readCount($1)) },
        .element("fh:archive", in: [.channel]) { builder, _ in builder.channel.paging.archive = true },

        .parent("itunes:owner", in: [.channel], of: .owner),
        .text("itunes:name", in: [.owner]) { $0.channel.ownerName.offer($1) },
        .text("itunes:email", in: [.owner]) { $0.channel.ownerEmail.offer($1, rank: 0) },
        .parent(
            "itunes:category", in: [.channel, .category], of: .category, open: { $0.openCategory($1) },
            close: { $0.closeCategory() }),
        .text("itunes:new-feed-url", in: [.channel]) { $0.channel.channel.newFeedURL.offer($0.url($1)) },
        .text("itunes:complete", in: [.channel]) { $0.channel.channel.complete.offer(readFlag($1)) },
        .text("itunes:type", in: [.channel]) {
            $0.channel.channel.type.offer(readWord($1, among: "episodic", "serial"))
        },
    ]

    /// Elements of a channel or an item.
    static let sharedElements: [Rule] = [
        .text("title", in: Context.anywhere) { $0.common.texts.offer(.title, $1, rank: 0) },
        .markup("atom:title", in: Context.anywhere) { $0.common.texts.offer(.title, $1, rank: 0) },
        .text("itunes:title", in: Context.anywhere) { $0.readITunesTitle($1) },
        .text("dc:title", in: Context.anywhere) { $0.common.texts.offer(.title, $1, rank: 2) },

        .text("description", in: Context.anywhere) { $0.common.texts.offer(.description, $1, rank: 0) },
        .text("itunes:summary", in: Context.anywhere) { $0.readITunesSummary($1) },
        .text("dc:description", in: Context.anywhere) { $0.common.texts.offer(.description, $1, rank: 6) },
        .text("itunes:subtitle", in: Context.anywhere) { $0.readITunesSubtitle($1) },
        .markup("atom:subtitle", in: [.channel]) { $0.readAtomSubtitle($1) },
        .markup("atom:tagline", in: [.channel]) { $0.readAtomSubtitle($1) },

        .element("link", in: Context.anywhere) { $0.readLink($1) },
        .element("atom:link", in: Context.anywhere) { $0.readAtomLink($1) },

        .text("pubDate", in: Context.anywhere) { $0.common.publishedAt.offer($0.date($1), rank: 0) },
        .text("dc:date", in: Context.anywhere) { $0.common.publishedAt.offer($0.date($1), rank: 1) },
        .text("dcterms:issued", in: Context.anywhere) { $0.common.publishedAt.offer($0.date($1), rank: 2) },
        .text("dcterms:created", in: Context.anywhere) { $0.common.publishedAt.offer($0.date($1), rank: 3) },
        .text("atom:published", in: Context.anywhere) { $0.common.publishedAt.offer($0.date($1), rank: 4) },
        .text("atom:issued", in: Context.anywhere) { $0.common.publishedAt.offer($0.date($1), rank: 5) },
        .text("atom:created", in: Context.anywhere) { $0.common.publishedAt.offer($0.date($1), rank: 6) },
        .text("atom:updated", in: Context.anywhere) { $0.readAtomUpdated($1) },
        .text("atom:modified", in: Context.anywhere) { $0.readAtomUpdated($1) },
        .text("dcterms:modified", in: Context.anywhere) { $0.common.updatedAt.offer($0.date($1), rank: 2) },

        .text("itunes:author", in: Context.anywhere) { $0.common.author.offer($0.repeatedTexts.string($1), rank: 0) },
        .parent("atom:author", in: Context.anywhere, of: .atomAuthor, open: { $0.openAuthor($1) }, close: { $0.closeAuthor() }),
        .text("atom:name", in: [.atomAuthor]) { $0.author.name.offer($0.repeatedTexts.string($1)) },
        .text("atom:email", in: [.atomAuthor]) { $0.author.email.offer($1) },
        .text("dc:creator", in: Context.anywhere) { $0.common.author.offer($0.repeatedTexts.string($1), rank: 2) },
        .text("author", in: Context.anywhere) { $0.common.author.offer(Mailbox($1).name, rank: 3) },

        .element("itunes:image", in: Context.anywhere) { builder, element in
            let image = builder.repeatedURL(element.text("href").or(element.text("url")).or(element.text))
            builder.common.imageURL.offer(image, rank: 0)
        },
        .text("itunes:explicit", in: Context.anywhere) { $0.common.explicit.offer(readFlag($1)) },
        .text("itunes:block", in: Context.anywhere) { $0.common.block.offer(readFlag($1)) },
        .text("itunes:keywords", in: Context.anywhere) { $0.common.keywords.offer(readList($1), rank: 0) },

        .text("category", in: Context.anywhere) { $0.common.tag($0.repeatedTexts.string($1)) },
        .text("dc:subject", in: Context.anywhere) { $0.common.tag($0.repeatedTexts.string($1)) },
        .element("atom:category", in: Context.anywhere) { $0.common.tag($1["term"] ?? $1["label"] ?? $1.text.value) },
        .element("cc:license", in: Context.anywhere) { $0.readCreativeCommons($1) },
    ]

    /// Elements of an item only.
    static let itemElements: [Rule] = [
        .element("guid", in: [.item]) { $0.readGuid($1) },
        .text("atom:id", in: [.item]) { $0.item.common.texts.offer(.guid, $1, rank: 0) },
        .markup("atom:summary", in: [.item]) { $0.common.texts.offer(.description, $1, rank: 1) },
        .text("content:encoded", in: [.item]) { $0.item.common.texts.offer(.content, $1, rank: 0) },
        .markup("atom:content", in: [.item]) { $0.item.common.texts.offer(.content, $1, rank: 1) },
        .body("xhtml:body", in: [.item]) { $0.item.common.texts.offer(.content, $1, rank: 2) },
        .body("xhtml:div", in: [.item]) { $0.item.common.texts.offer(.content, $1, rank: 3) },
        .element("enclosure", in: [.item]) { $0.readEnclosure($1) },
        .element("enc:enclosure", in: [.item]) { $0.readEnclosure($1) },
        .text("comments", in: [.item]) { $0.item.item.extras.comments.offer($0.url($1)) },
        .element("source", in: [.item]) { $0.readSource($1) },
        .parent("atom:source", in: [.item], of: .source, open: { $0.openSource($1) }, close: { $0.closeSource() }),
        .markup("atom:title", in: [.source]) { $0.source.title.offer($1) },
        .element("atom:link", in: [.source]) { $0.readSourceLink($1) },

        .text("itunes:duration", in: [.item]) { $0.item.duration.offer($0.duration($1), rank: 0) },
        .text("itunes:season", in: [.item]) { $0.item.seasonNumber.offer(readNumber($1), rank: 0) },
        .text("itunes:episode", in: [.item]) { $0.item.episodeNumber.offer(readNumber($1), rank: 0) },
        .text("itunes:episodeType", in: [.item]) {
            $0.item.item.type.offer(readWord($1, among: "full", "trailer", "bonus"))
        },

        .parent("psc:chapters", in: [.item], of: .chapters),
        .element("psc:chapter", in: [.chapters]) { $0.readChapter($1) },
    ]

    /// Media RSS. Elements inside a group or a content are used if the item has none of its own.
    static let mediaElements: [Rule] = [
        .parent("media:group", in: [.channel, .item, .media], of: .media),
        .parent("media:content", in: [.channel, .item, .media], of: .media, open: { $0.readMediaContent($1) }),
        .element("media:thumbnail", in: Context.anywhere) {
            $0.common.imageURL.offer($0.url($1.text("url").or($1.text)), rank: 5)
        },
        .element("media:thumbnail", in: [.media]) {
            $0.common.imageURL.offer($0.url($1.text("url").or($1.text)), rank: 8)
        },
        .text("media:title", in: Context.anywhere) { $0.common.texts.offer(.title, $1, rank: 3) },
        .text("media:title", in: [.media]) { $0.common.texts.offer(.title, $1, rank: 4) },
        .text("media:description", in: Context.anywhere) { $0.common.texts.offer(.description, $1, rank: 4) },
        .text("media:description", in: [.media]) { $0.common.texts.offer(.description, $1, rank: 8) },
        .text("media:keywords", in: [.channel, .item, .media]) { $0.common.keywords.offer(readList($1), rank: 1) },
        .text("media:category", in: [.channel, .item, .media]) { $0.common.tag($0.repeatedTexts.string($1)) },
    ]
}
