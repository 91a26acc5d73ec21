import Domain
import Parsing
import Testing

@Suite struct FeedLinksTests {
    private func find(_ html: String) -> [FeedLink] {
        FeedLinks.find(Array(html.utf8), ParseHints(baseURL: "https://site.example/blog/"))
    }

    @Test func linksOfFeedTypesInTheirOrder() {
        let links = find(
            """
            <!DOCTYPE html><html><head><LINK REL="alternate" TYPE="application/rss+xml" TITLE="Caf&eacute;" HREF="/feed?a=1&amp;b=2">
            <link rel=alternate type=application/atom+xml href=atom.xml><link rel="stylesheet" type="text/css" href="x.css">
            <link rel="alternate" type="application/json+oembed" href="/oembed"><link rel="alternate" hreflang="de" href="/de">
            <link rel="alternate feed" type="application/feed+json" href="//cdn.example/feed.json"><link rel="alternate" type="application/rss+xml" href="/feed?a=1&b=2">
            <body><a href="/other/feed">feed</a>
            """)
        #expect(
            links == [
                FeedLink(url: "https://site.example/feed?a=1&b=2", title: "Café", type: "application/rss+xml"),
                FeedLink(url: "https://site.example/blog/atom.xml", type: "application/atom+xml"),
                FeedLink(url: "https://cdn.example/feed.json", type: "application/feed+json"),
            ])
    }

    @Test func theBaseOfThePageCounts() {
        let links = find("<base href='https://other.example/x/'><link rel=alternate type='application/rss+xml' href='f.xml'>")
        #expect(links.map(\.url) == ["https://other.example/x/f.xml"])
    }

    @Test func anchorsServeWhereNoLinkDoes() {
        let links = find(
            "<p><a href='/about'>x</a> <a href='/podcast.xml'>y</a> <a href='feed://a.example/b'>z</a> <a href='https://feeds.example/show'>"
        )
        #expect(links.map(\.url) == ["https://site.example/podcast.xml", "feed://a.example/b", "https://feeds.example/show"])
    }

    @Test func linksInCommentsAndScriptsAreNone() {
        #expect(
            find(
                "<!-- <link rel=alternate type='application/rss+xml' href=a> --><script>'<link rel=alternate type=\"application/rss+xml\" href=b>'</script>"
            ).isEmpty)
    }

    @Test func depthDoesNotMatter() {
        let page = String(repeating: "<i>", count: 200_000) + "<link rel=alternate type='application/rss+xml' href=a>"
        #expect(find(page).map(\.url) == ["https://site.example/blog/a"])
    }

    @Test func referencesInURLsAreResolved() {
        let links = find("<link rel=alternate type='application/rss+xml' href='/f?a=1&amp;b=2&copy=3&#38;d'>")
        #expect(links.map(\.url) == ["https://site.example/f?a=1&b=2&copy=3&d"])
    }
}
