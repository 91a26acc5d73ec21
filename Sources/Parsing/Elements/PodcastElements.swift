internal import Domain

// Elements of the Podcast namespace that take more than one line to read.

extension FeedBuilder {
    mutating func readTrailer(_ element: Element) {
        var trailer = Trailer()
        trailer.title = element.text.value
        trailer.url = url(element.text("url"))
        trailer.publishedAt = date(element.text("pubdate").or(element.text("pubDate")))
        trailer.length = readSize(element.text("length"))
        trailer.type = element["type"]
        trailer.season = readCount(element.text("season"))
        if trailer.url != nil { channel.channel.trailers.append(trailer) }
    }

    mutating func readUpdateFrequency(_ element: Element) {
        var frequency = UpdateFrequency()
        frequency.text = element.text.value
        frequency.complete = readFlag(element.text("complete"))
        frequency.startAt = date(element.text("dtstart"))
        frequency.rrule = element["rrule"]
        if frequency != UpdateFrequency() { channel.channel.updateFrequency.offer(frequency) }
    }

    func remoteItem(_ element: Element) -> RemoteItem? {
        var item = RemoteItem()
        item.feedGuid = element["feedGuid"]
        item.feedURL = url(element.text("feedUrl"))
        item.itemGuid = element["itemGuid"]
        item.medium = element.text("medium").lowercased
        item.title = element["title"]
        return item == RemoteItem() ? nil : item
    }

    mutating func readFunding(_ element: Element) {
        var funding = Funding()
        funding.url = url(element.text("url"))
        funding.text = element.text.value
        if funding.url != nil { common.funding.append(funding) }
    }

    mutating func readPerson(_ element: Element) {
        guard let name = repeatedTexts.string(element.text) else { return }
        var person = Person()
        person.name = name
        person.role = element.text("role").lowercased ?? "host"
        person.group = element.text("group").lowercased ?? "cast"
        person.imageURL = repeatedURL(element.text("img"))
        person.link = repeatedURL(element.text("href"))
        common.persons.append(person)
    }

    mutating func readLicense(_ element: Element) {
        var license = License()
        license.identifier = element.text.value
        license.url = url(element.text("url"))
        if license != License() { common.license.offer(license, rank: 0) }
    }

    mutating func readTxt(_ element: Element) {
        guard let value = element.text.value else { return }
        var txt = Txt()
        txt.value = value
        txt.purpose = element["purpose"]
        common.txts.append(txt)
    }

    /// The first draft of the tag had its URI as text and other names for the account.
    mutating func readSocialInteract(_ element: Element) {
        var interact = SocialInteract()
        interact.protocol = element["protocol"] ?? element["platform"]
        interact.uri = url(element.text("uri").or(element.text))
        interact.accountId = element["accountId"] ?? element["podcastAccountId"]
        interact.accountUrl = url(element.text("accountUrl").or(element.text("podcastAccountUrl")))
        interact.priority = readCount(element.text("priority"))
        if interact != SocialInteract() { common.socialInteracts.append(interact) }
    }

    /// `srcset`, as in HTML: URLs, each with its width, between commas. A comma inside a URL belongs to it.
    mutating func readImageSet(_ element: Element) {
        var remaining = (element["srcset"] ?? "")[...]
        while true {
            remaining = remaining.drop { $0.isWhitespace || $0 == "," }
            if remaining.isEmpty { return }
            var source = remaining.prefix { !$0.isWhitespace }
            remaining = remaining[source.endIndex...]
            var image = Image()
            if source.last == "," {
                while source.last == "," { source.removeLast() }
            } else {
                let descriptors = remaining.prefix { $0 != "," }
                remaining = remaining[descriptors.endIndex...]
                let width = descriptors.split(whereSeparator: \.isWhitespace).first { $0.hasSuffix("w") }
                image.width = width.flatMap { String($0.dropLast()).withText(readSize) }
            }
            image.url = url(String(source))
            common.images.append(image)
        }
    }

    mutating func readImage(_ element: Element) {
        var image = Image()
        image.url = url(element.text("href").or(element.text("url")).or(element.text))
        image.width = readSize(element.text("width"))
        guard let imageURL = image.url else { return }
        common.images.append(image)
        common.imageURL.offer(imageURL, rank: 1)
    }

    mutating func openValue(_ element: Element) {
        valueBlock = ValueBlock()
        valueBlock.type = element["type"]
        valueBlock.method = element["method"]
        valueBlock.suggested = element["suggested"]
    }

    mutating func closeValue() {
        if valueBlock != ValueBlock() { common.value.append(valueBlock) }
    }

    mutating func openTimeSplit(_ element: Element) {
        timeSplit = ValueTimeSplit()
        timeSplit.startTime = duration(element.text("startTime"))
        timeSplit.duration = duration(element.text("duration"))
        timeSplit.remoteStartTime = duration(element.text("remoteStartTime"))
        timeSplit.remotePercentage = readNumber(element.text("remotePercentage"))
    }

    mutating func closeTimeSplit() {
        if timeSplit != ValueTimeSplit() { valueBlock.timeSplits.append(timeSplit) }
    }

    mutating func readChaptersLink(_ element: Element) {
        var chapters = ChaptersLink()
        chapters.url = url(element.text("url"))
        chapters.type = repeatedTexts.string(element.text("type"))
        if chapters.url != nil { item.item.chapters.offer(chapters) }
    }

    mutating func readTranscript(_ element: Element) {
        var transcript = Transcript()
        transcript.url = url(element.text("url"))
        transcript.type = repeatedTexts.string(element.text("type"))
        transcript.language = element["language"]
        transcript.rel = element["rel"]
        if transcript.url != nil { item.item.transcripts.append(transcript) }
    }

    mutating func readSoundbite(_ element: Element) {
        var soundbite = Soundbite()
        soundbite.start = duration(element.text("startTime"))
        soundbite.duration = duration(element.text("duration"))
        soundbite.title = element.text.value
        if soundbite.start != nil { item.item.extras.soundbites.append(soundbite) }
    }

    mutating func readContentLink(_ element: Element) {
        var link = ContentLink()
        link.href = url(element.text("href"))
        link.text = element.text.value
        if link.href != nil { item.item.extras.contentLinks.append(link) }
    }

    mutating func openAlternateEnclosure(_ element: Element) {
        alternateEnclosure = AlternateEnclosure()
        alternateEnclosure.type = element["type"]
        alternateEnclosure.length = readSize(element.text("length"))
        alternateEnclosure.bitrate = readNumber(element.text("bitrate"))
        alternateEnclosure.height = readSize(element.text("height"))
        alternateEnclosure.language = element["lang"] ?? element["language"]
        alternateEnclosure.title = element["title"]
        alternateEnclosure.rel = element["rel"]
        alternateEnclosure.codecs = element["codecs"]
        alternateEnclosure.default = readFlag(element.text("default"))
    }

    mutating func readMediaSource(_ element: Element) {
        var source = MediaSource()
        source.uri = url(element.text("uri"))
        source.contentType = element["contentType"]
        if source.uri != nil { alternateEnclosure.sources.append(source) }
    }

    mutating func closeAlternateEnclosure() {
        if alternateEnclosure != AlternateEnclosure() { item.item.extras.alternateEnclosures.append(alternateEnclosure) }
    }

    mutating func beginLiveItem(_ element: Element) {
        beginItem()
        var live = Live()
        live.status = element.text("status").lowercased
        live.start = date(element.text("start"))
        live.end = date(element.text("end"))
        if live != Live() { item.item.extras.live = live }
    }
}
