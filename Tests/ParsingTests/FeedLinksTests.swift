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
        "<link rel=alternate href=/f title='Night Radio (RSS)'>",
        "<a href=/f type='application/rss+xml'>x</a>",
        "<a rel=feed href=/f>x</a>", "<a href='pcast://site.example/f'>x</a>", "<a href=/f>Subscribe by <b>RSS</b></a>",
        "<a href=/f>Podcast feed</a>", "<meta http-equiv=refresh content='0; URL=/f'>",
        "<link rel=alternate type='application/json' href=/f/feed.json>",
        "<link rel=feed type='application/json; charset=utf-8' href=/f>", "<link rel=feed href=/f>",
        "<link rel=alternate type='application/feed+json' href=/f>",
        "<link rel=alternate type='application/rss+xml' href='feed:https://site.example/f'>",
        "<a href=/f title='RSS feed'><i class=icon></i></a>", "<a href=/f><img src=rss.png alt=RSS></a>",
        "<a href=/f aria-label='Subscribe to the feed'><svg></svg></a>", "<a href='feed:https://site.example/f'>x</a>",
        "<meta http-equiv=Refresh content='5;url=\"/f\"'>", "<meta http-equiv=refresh content='0, /f'>",
    ])
    func `feeds are found however the page names them`(html: String) {
        #expect(find("<p>Hello</p>" + html).count == 1)
    }

    @Test(arguments: [
        "<link rel=stylesheet type='text/xml' href=/f.xml>", "<link rel=alternate type='application/json' href=/wp-json/x>",
        "<link rel=alternate hreflang=de href=/de>", "<link rel=canonical href=/feed>", "<meta http-equiv=refresh content=300>",
        "<meta http-equiv=refresh content='x; url=/f'>", "<a href='mailto:feed@site.example'>RSS</a>", "<a href=/about>About</a>",
    ])
    func `other links are no feeds`(html: String) {
        #expect(find(html).isEmpty)
    }

    @Test func `a feed of comments is found only if it is alone, and a show about comments is a show`() {
        func page(_ links: [(String, String)]) -> String {
            links.map { "<link rel=alternate type='application/rss+xml' href='\($0)' title='\($1)'>" }.joined()
        }
        let comments = [
            ("/comments/feed/", "x"), ("/k", "Site » Kommentar-Feed"), ("/c", "Site » Comments Feed"),
            ("/post/feed/", "Site » Post Comments Feed"), ("/f/", "Site » Flux des commentaires"),
            ("/feeds/12/comments/default", "Site - Atom"),
        ]
        for link in comments {
            #expect(find(page([link, ("/f.xml", "Site » Feed")])).map(\.url) == ["https://site.example/f.xml"], "\(link)")
            #expect(find(page([link])).map(\.url) == ["https://site.example\(link.0)"])
            // A feed that is named less clearly is still one.
            #expect(find(page([link]) + "<a href=/f.rss>x</a>").map(\.url) == ["https://site.example/f.rss"])
        }
        for show in [("/the-comment-show/feed/", "x"), ("/comments", "The Comments"), ("/feed/", "No comment")] {
            #expect(find(page([show, ("/f", "x")])).first?.url == "https://site.example\(show.0)")
        }
    }

    @Test(arguments: [
        "<feed.xml>; rel=\"alternate\"; type=\"application/rss+xml\"", "<feed.xml>;rel=alternate;type=application/atom+xml",
        "<feed.xml>; rel=\"alternate\"", "<feed.xml>; title=\"a, b; c\"; rel=\"feed\"",
        "<feed.xml?a=1,2>; rel=\"home alternate\"; type=\"application/feed+json\"",
    ])
    func `the Link header names a feed`(link: String) {
        let hints = ParseHints(
            baseURL: "https://site.example/a/", link: "<https://api.example/>; rel=\"https://api.w.org/\", " + link)
        #expect(FeedLinks.find(Array("<p>x".utf8), hints).first?.url.hasPrefix("https://site.example/a/feed.xml") == true)
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
