import LoopbackServer
import ProgramSupport
import Testing

/// A library with two podcasts; an episode of one has sound, chapters and a transcript.
enum NightTrains {
    static func served() throws -> Served {
        let home = try Home()
        _ = try home.jimmy.run("config", "set", "new-on-subscribe", "3")
        try home.subscribe("Harbor", episodes: 4)
        home.server.on("/night", .feed(feed(home.server.url)))
        home.server.on("/sound.wav", Reply(200, headers: [("Content-Type", "audio/wav")], body: silence(seconds: 120)))
        home.server.on("/said.vtt", Reply(200, headers: [("Content-Type", "text/vtt")], body: Array(spoken.utf8)))
        _ = try home.jimmy.run("subscribe", home.server.url + "/night")
        _ = try home.jimmy.run("refresh", "--force", "--transcripts")
        _ = try home.jimmy.run("download", "--query", "sleeping")
        return try Served(home)
    }

    /// With the id of the episode with sound, and a window of middle width.
    static func opened() throws -> (Served, id: String, Browser) {
        let site = try served()
        let (id, browser) = (try id(site), try Browser())
        try browser.resize(800)
        return (site, id, browser)
    }

    /// The id of the episode with sound.
    static func id(_ site: Served) throws -> String {
        try #require(try site.episodes(on: "/search?q=sleeping").first)
    }

    private static let spoken = """
        WEBVTT

        00:00:00.000 --> 00:00:30.000
        <v Mara>We begin on the platform.

        00:00:30.000 --> 00:01:30.000
        <v Jonas>The sleeping car is the last one.

        """

    private static func feed(_ url: String) -> String {
        """
        <rss version="2.0" xmlns:podcast="https://podcastindex.org/namespace/1.0" xmlns:psc="http://podlove.org/simple-chapters">
        <channel><title>Night Trains</title><item><title>Sleeping cars</title><guid>n1</guid>
        <pubDate>Sat, 01 Jun 2024 08:00:00 GMT</pubDate>
        <description>&lt;p&gt;On &lt;b&gt;beds&lt;/b&gt; that move, from 1:05 on. &lt;a href="https://trains.example/"&gt;More&lt;/a&gt;&lt;/p&gt;</description>
        <psc:chapters><psc:chapter start="00:00:00" title="Platform"/><psc:chapter start="00:00:40" title="Corridor"/></psc:chapters>
        <podcast:transcript url="\(url)/said.vtt" type="text/vtt"/>
        <enclosure url="\(url)/sound.wav" type="audio/wav" length="1000"/></item></channel></rss>
        """
    }

    /// One channel of eight bits, 8,000 a second.
    static func silence(seconds: Int) -> [UInt8] {
        func little(_ number: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }
        let size = seconds * 8_000
        return Array("RIFF".utf8) + little(size + 36, 4) + Array("WAVEfmt ".utf8) + little(16, 4) + little(1, 2) + little(1, 2)
            + little(8_000, 4) + little(8_000, 4) + little(1, 2) + little(8, 2) + Array("data".utf8) + little(size, 4)
            + [UInt8](repeating: 128, count: size)
    }
}
