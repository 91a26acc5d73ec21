import Domain

/// How feeds are asked.
struct Plan: Sendable {
    let name: String
    /// Seconds between two requests, as the settings of all podcasts have it; nil for what jimmy learns.
    var interval: Int64?
    /// The share of the feeds with an episode in the last quarter whose hubs tell of new ones.
    var hubs = 0.0
    /// Whether the hours are learned at which episodes come, or only the gap between them.
    var knowsHours = true
    /// Seconds after which the rules have settled.
    var warmUp = 86_400.0
    /// Seconds that are measured.
    var measured = 86_400.0

    static let all = [
        // What is asked at a fixed interval needs no time to settle, and many requests to simulate.
        Plan(name: "every 15 minutes", interval: 900, warmUp: 0, measured: 6 * 3_600),
        Plan(name: "every hour", interval: 3_600, warmUp: 0),
        Plan(name: "learned by the gap alone", knowsHours: false),
        Plan(name: "as learned"),
        Plan(name: "learned, WebSub: a tenth", hubs: 0.1),
        Plan(name: "learned, WebSub: a half", hubs: 0.5),
        Plan(name: "learned, WebSub: all", hubs: 1),
    ]

    var end: Double { warmUp + measured }
    /// Then the simulation ends, even if an episode was not found.
    var latest: Double { end + 60 * 86_400 }

    func isMeasured(_ time: Double) -> Bool { time >= warmUp && time < end }
}

/// The hosts, the largest first, and the numbers of their feeds.
struct Hosts {
    private(set) var feeds: [Range<Int>] = []

    /// The ten largest, then ever smaller ones, then hosts of one feed.
    init(feeds count: Int) {
        var next = 0
        func size(of share: Double) -> Int { max(1, Int(Double(count) * share)) }
        let other = Double(Statistics.largestOther) / Double(Statistics.feeds)
        var sizes = Statistics.largest.map(size)
        var rank = 1.0
        while next < count {
            let host = feeds.count
            if host >= sizes.count {
                sizes.append(size(of: other / rank))
                rank += 1
            }
            feeds.append(next..<min(next + sizes[host], count))
            next = feeds[host].upperBound
        }
    }
}
