import Domain
import Parsing
import Testing

@Suite struct FeedLinksTests {
    private func find(_ html: String) -> [FeedLink] {
        FeedLinks.find(Array(html.utf8), ParseHints(baseURL: "https://site.example/blog/"))
    }

    @Test func `links of feed types in their order`() {
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

    @Test func `the base of the page counts`() {
        let links = find("<base href='https://other.example/x/'><link rel=alternate type='application/rss+xml' href='f.xml'>")
        #expect(links.map(\.url) == ["https://other.example/x/f.xml"])
    }

    @Test func `anchors serve where no link does`() {
        let links = find(
            "<p><a href='/about'>x</a> <a href='/podcast.xml'>y</a> <a href='feed://a.example/b'>z</a> <a href='https://feeds.example/show'>"
        )
        #expect(links.map(\.url) == ["https://site.example/podcast.xml", "feed://a.example/b", "https://feeds.example/show"])
    }

    @Test(arguments: [
        "<link type='application/rss+xml' href=/f>", "<link rel=alternate href=/f/feed>",
        "<a href=/f type='application/rss+xml'>x</a>",
        "<a rel=feed href=/f>x</a>", "<a href='pcast://site.example/f'>x</a>", "<a href=/f>Subscribe by <b>RSS</b></a>",
        "<a href=/f>Podcast feed</a>", "<meta http-equiv=refresh content='0; URL=/f'>",
        "<link rel=alternate type='application/json' href=/f/feed.json>",
    ])
    func `feeds are found however the page names them`(html: String) {
        #expect(find("<p>Hello</p>" + html).count == 1)
    }

    @Test func `the feed of comments comes last, but a show about comments is a show`() {
        func page(_ links: [(String, String)]) -> String {
            links.map { "<link rel=alternate type='application/rss+xml' href='\($0)' title='\($1)'>" }.joined()
        }
        let links = find(page([("/comments/feed/", "Site » Comments Feed"), ("/feed/", "Site » Feed")]))
        #expect(links.map(\.url) == ["https://site.example/feed/", "https://site.example/comments/feed/"])
        #expect(find(page([("/k", "Kommentar-Feed"), ("/f", "x")])).first?.url == "https://site.example/f")
        #expect(
            find(page([("/the-comment-show/feed/", "x"), ("/f", "x")])).first?.url
                == "https://site.example/the-comment-show/feed/")
    }

    @Test func `the Link header names a feed`() {
        let hints = ParseHints(
            baseURL: "https://site.example/a/",
            link:
                "<https://api.example/>; rel=\"https://api.w.org/\", <feed.xml>; rel=\"alternate\"; type=\"application/rss+xml\"")
        #expect(FeedLinks.find(Array("<p>x".utf8), hints).map(\.url) == ["https://site.example/a/feed.xml"])
    }

    @Test func `links in comments and scripts are none`() {
        #expect(
            find(
                "<!-- <link rel=alternate type='application/rss+xml' href=a> --><script>'<link rel=alternate type=\"application/rss+xml\" href=b>'</script>"
            ).isEmpty)
    }

    @Test func `depth does not matter`() {
        let page = String(repeating: "<i>", count: 200_000) + "<link rel=alternate type='application/rss+xml' href=a>"
        #expect(find(page).map(\.url) == ["https://site.example/blog/a"])
    }

    @Test func `references in URLs are resolved`() {
        let links = find("<link rel=alternate type='application/rss+xml' href='/f?a=1&amp;b=2&copy=3&#38;d'>")
        #expect(links.map(\.url) == ["https://site.example/f?a=1&b=2&copy=3&d"])
    }
}
