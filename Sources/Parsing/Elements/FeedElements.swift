internal import Domain

// Elements that take more than one line to read: RSS, Atom, iTunes.

extension FeedBuilder {
    mutating func readLanguage(_ element: Element) {
        channel.language.offer(element["lang", in: .xml], rank: 2)
    }

    mutating func beginItem(_ element: Element) {
        beginItem()
        // rdf:about is used if there is no guid.
        item.common.texts.offer(.guid, element["about", in: .rdf], rank: 1)
    }

    mutating func readITunesTitle(_ text: Text) {
        common.texts.offer(.itunesTitle, text)
        common.texts.offer(.title, text, rank: 1)
    }

    mutating func readITunesSummary(_ text: Text) {
        common.texts.offer(.summary, text)
        common.texts.offer(.description, text, rank: 2)
    }

    mutating func readITunesSubtitle(_ text: Text) {
        common.texts.offer(.subtitle, text)
        common.texts.offer(.description, text, rank: 7)
    }

    mutating func readAtomSubtitle(_ text: Text) {
        channel.atomSubtitle.offer(text)
        common.texts.offer(.description, text, rank: 3)
    }

    mutating func readAtomUpdated(_ text: Text) {
        guard let date = date(text) else { return }
        common.updatedAt.offer(date, rank: 1)
        if isInItem { common.publishedAt.offer(date, rank: 7) }
    }

    mutating func readEditor(_ text: Text) {
        let mailbox = Mailbox(text)
        channel.common.author.offer(mailbox.name, rank: 4)
        channel.ownerEmail.offer(mailbox.email, rank: 1)
    }

    // MARK: Links

    /// In RSS the URL is the text; some feeds use `href` as in Atom.
    mutating func readLink(_ element: Element) {
        if element.text.isEmpty {
            let rel = element.text("rel")
            if rel.isEmpty || rel.isWord("alternate") { offerLink(element.text("href"), rank: 1) }
        } else {
            offerLink(element.text, rank: 0)
        }
    }

    private mutating func offerLink(_ text: Text, rank: UInt8) {
        if text.isPlainWebURL {
            common.texts.offer(.link, text, rank: rank)
        } else {
            common.texts.offer(.link, url(text), rank: rank)
        }
    }

    /// Source: RFC 4287, section 4.2.7; RFC 5005; WebSub.
    mutating func readAtomLink(_ element: Element) {
        guard let href = url(element.text("href").or(element.text)) else { return }
        let rel = element.text("rel")
        if rel.isEmpty { return readAlternate(href, type: element.text("type")) }
        for word in rel.words {
            switch word.trimmed.lowercased?.dropping(prefix: "http://www.iana.org/assignments/relation/") {
            case "alternate": readAlternate(href, type: element.text("type"))
            case "enclosure" where isInItem:
                var enclosure = Enclosure()
                enclosure.url = href
                enclosure.type = repeatedTexts.string(element.text("type"))
                enclosure.length = readSize(element.text("length"))
                item.add(enclosure, rank: 1)
            case _ where isInItem: break
            case "self": channel.channel.feedURL.offer(href)
            case "hub": channel.hubs.append(href)
            case "next": channel.paging.next.offer(href)
            case "prev", "previous": channel.paging.prev.offer(href)
            case "first": channel.paging.first.offer(href)
            case "last": channel.paging.last.offer(href)
            case "current": channel.paging.current.offer(href)
            case "prev-archive": channel.paging.prevArchive.offer(href)
            default: break
            }
        }
    }

    private mutating func readAlternate(_ href: String, type: Text) {
        common.texts.offer(.link, href, rank: type.isEmpty ? 2 : type.lowercased?.hasPrefix("text/html") == true ? 1 : 3)
    }

    mutating func readGuid(_ element: Element) {
        guard !element.text.isEmpty, item.common.texts.isEmpty(.guid) else { return }
        item.common.texts.offer(.guid, element.text)
        let isPermaLink = element.text("isPermaLink")
        if isPermaLink.isWord("true") { item.item.guidIsPermaLink = true }
        if isPermaLink.isWord("false") { item.item.guidIsPermaLink = false }
    }

    mutating func readEnclosure(_ element: Element) {
        var enclosure = Enclosure()
        enclosure.url = url(element.text("url").or(element.text("resource", in: .rdf)).or(element.text("href")))
        enclosure.type = repeatedTexts.string(element.text("type"))
        enclosure.length = readSize(element.text("length"))
        item.add(enclosure, rank: 0)
    }

    // MARK: Source

    mutating func readSource(_ element: Element) {
        var source = Source()
        source.title = element.text.value
        source.url = url(element.text("url"))
        if source != Source() { item.item.extras.source.offer(source) }
    }

    mutating func openSource(_ element: Element) {
        source = Source()
    }

    /// RSS defines a source's URL as the feed's own; the page's URL is used if there is none.
    mutating func readSourceLink(_ element: Element) {
        guard let href = url(element.text("href")) else { return }
        switch element.text("rel").lowercased ?? "alternate" {
        case "self": source.url = href
        case "alternate": source.url.offer(href)
        default: break
        }
    }

    mutating func closeSource() {
        if source != Source() { item.item.extras.source.offer(source) }
    }

    // MARK: Authors

    mutating func openAuthor(_ element: Element) { author = Author() }

    mutating func closeAuthor() {
        common.author.offer(author.name, rank: 1)
    }

    // MARK: Categories

    mutating func openCategory(_ element: Element) {
        categoryPath.append((element["text"] ?? "", false))
    }

    /// A parent with children appears only through its children's paths.
    mutating func closeCategory() {
        var path = ""
        for (name, _) in categoryPath where !name.isEmpty { path += path.isEmpty ? name : "\0\(name)" }
        guard let last = categoryPath.popLast() else { return }
        if !last.hasChildren, !last.name.isEmpty { channel.categories.append(path) }
        if !last.name.isEmpty, !categoryPath.isEmpty { categoryPath[categoryPath.count - 1].hasChildren = true }
    }

    // MARK: Schedule

    /// RSS 0.91 counts hours from 1 to 24.
    mutating func readSkipHour(_ text: Text) {
        guard let hour = readCount(text), hour <= 24 else { return }
        if !channel.schedule.skipHours.contains(hour % 24) { channel.schedule.skipHours.append(hour % 24) }
    }

    mutating func readSkipDay(_ text: Text) {
        let days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
        guard let day = text.value?.lowercased(), days.contains(day), !channel.schedule.skipDays.contains(day) else { return }
        channel.schedule.skipDays.append(day)
    }

    mutating func readCreativeCommons(_ element: Element) {
        guard let licenseURL = url(element.text.or(element.text("resource", in: .rdf))) else { return }
        var license = License()
        license.url = licenseURL
        common.license.offer(license, rank: 1)
    }

    // MARK: Chapters

    mutating func readChapter(_ element: Element) {
        var chapter = Chapter()
        chapter.start = duration(element.text("start"))
        chapter.title = element["title"]
        chapter.link = url(element.text("href"))
        chapter.imageURL = url(element.text("image"))
        if chapter.start != nil { item.item.extras.inlineChapters.append(chapter) }
    }
}
