internal import Domain

extension FeedVocabulary {
    /// The Podcasting 2.0 namespace. Source: https://podcasting2.org/docs/podcast-namespace
    static let podcastElements: [Rule] = [
        // Of a channel.
        .text("podcast:guid", in: [.channel]) { $0.channel.channel.guid.offer($1) },
        .text("podcast:medium", in: [.channel]) { $0.channel.channel.medium.offer($1.lowercased) },
        .element("podcast:locked", in: [.channel]) { $0.channel.channel.locked.offer(Locked($1)) },
        .element("podcast:trailer", in: [.channel]) { $0.readTrailer($1) },
        .element("podcast:block", in: [.channel]) { builder, element in
            if let block = Block(element) { builder.channel.channel.blocks.append(block) }
        },
        .element("podcast:updateFrequency", in: [.channel]) { $0.readUpdateFrequency($1) },
        .parent("podcast:podroll", in: [.channel], of: .podroll),
        .element("podcast:remoteItem", in: [.podroll, .channel]) { builder, element in
            if let item = builder.remoteItem(element) { builder.channel.channel.podroll.append(item) }
        },
        .parent("podcast:publisher", in: [.channel], of: .publisher),
        .element("podcast:remoteItem", in: [.publisher]) { builder, element in
            builder.channel.channel.publisher.offer(builder.remoteItem(element))
        },

        // Of a channel or an item.
        .element("podcast:funding", in: Context.anywhere) { $0.readFunding($1) },
        .element("podcast:person", in: Context.anywhere) { $0.readPerson($1) },
        .element("podcast:location", in: Context.anywhere) { $0.common.location.offer(Location($1)) },
        .element("podcast:license", in: Context.anywhere) { $0.readLicense($1) },
        .element("podcast:txt", in: Context.anywhere) { $0.readTxt($1) },
        .element("podcast:socialInteract", in: Context.anywhere) { $0.readSocialInteract($1) },
        .element("podcast:chat", in: Context.anywhere) { $0.common.chat.offer(Chat($1)) },
        .element("podcast:images", in: Context.anywhere) { $0.readImageSet($1) },
        .element("podcast:image", in: Context.anywhere) { $0.readImage($1) },
        .parent("podcast:value", in: Context.anywhere, of: .value, open: { $0.openValue($1) }, close: { $0.closeValue() }),
        .element("podcast:valueRecipient", in: [.value]) { builder, element in
            builder.valueBlock.recipients.append(ValueRecipient(element))
        },
        .parent(
            "podcast:valueTimeSplit", in: [.value], of: .timeSplit, open: { $0.openTimeSplit($1) },
            close: { $0.closeTimeSplit() }),
        .element("podcast:valueRecipient", in: [.timeSplit]) { builder, element in
            builder.timeSplit.recipients.append(ValueRecipient(element))
        },
        .element("podcast:remoteItem", in: [.timeSplit]) { builder, element in
            builder.timeSplit.remoteItem.offer(builder.remoteItem(element))
        },

        // Of an item.
        .element("podcast:season", in: [.item]) { builder, element in
            builder.item.seasonNumber.offer(readNumber(element.text), rank: 1)
            builder.item.season.name.offer(element["name"])
        },
        .element("podcast:episode", in: [.item]) { builder, element in
            builder.item.episodeNumber.offer(readNumber(element.text), rank: 1)
            builder.item.episode.display.offer(element["display"])
        },
        .element("podcast:chapters", in: [.item]) { $0.readChaptersLink($1) },
        .element("podcast:transcript", in: [.item]) { $0.readTranscript($1) },
        .element("podcast:soundbite", in: [.item]) { $0.readSoundbite($1) },
        .element("podcast:contentLink", in: [.item]) { $0.readContentLink($1) },
        .parent(
            "podcast:alternateEnclosure", in: [.item], of: .alternateEnclosure,
            open: { $0.openAlternateEnclosure($1) }, close: { $0.closeAlternateEnclosure() }),
        .element("podcast:source", in: [.alternateEnclosure]) { $0.readMediaSource($1) },
        .element("podcast:integrity", in: [.alternateEnclosure]) { builder, element in
            builder.alternateEnclosure.integrity.offer(Integrity(element))
        },
    ]
}
