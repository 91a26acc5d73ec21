// What `scripts/bench schedule` runs: walks through the second half of each feed's publication dates, at most the last hundred,
// with what the first half taught. An episode is out at its date.
// usage: schedule-replay [--each] [--cost] FILE...
import Domain
import Glibc
import Parsing
import Scheduling

/// Chooses the next request by the dates known now, newest first. Each replay begins with a rule of its own.
typealias Rule = (_ known: [Timestamp], _ now: Timestamp) -> Timestamp

let (minute, hour, day): (Int64, Int64, Int64) = (60, 3_600, 86_400)

/// The rule of a refresh, told of episodes by a feed, which may state other times than the true ones that are `known`.
func learned(_ stated: @escaping (Timestamp) -> Timestamp = { $0 }) -> Rule {
    var podcast = Podcast(id: PodcastID(text: "replay"), feedURL: "http://example.com/", subscribedAt: Timestamp(seconds: 0))
    var newest: Timestamp?
    return { known, now in
        let feed = known.first == newest ? nil : feed(of: known.prefix(60).map(stated))
        newest = known.first
        record(feed, of: &podcast, now)
        return podcast.fetch.nextDueAt ?? now + day
    }
}

func feed(of dates: [Timestamp]) -> ParsedFeed {
    ParsedFeed(
        format: .rss,
        items: dates.map { date in
            var item = Item()
            item.publishedAt = date
            return FeedItem(item)
        })
}

/// What a refresh does with an answer: 304 if there is no feed.
func record(_ feed: ParsedFeed?, of podcast: inout Podcast, _ now: Timestamp) {
    Schedule.recordAnswer(
        &podcast, status: feed == nil ? 304 : 200, feed: feed, headers: ResponseHeaders(),
        outcome: feed == nil ? "unchanged" : "updated", milliseconds: 1, now: now)
}

/// The rule without hours: an eighth of the usual gap, or when the next episode is expected by it.
let plain: Rule = { known, now in
    let gaps = zip(known.prefix(10), known.prefix(10).dropFirst()).map { $0 - $1 }.filter { $0 >= hour / 4 }.sorted()
    let bounded = { (wait: Int64) in min(max(wait, 15 * minute), day) }
    guard let newest = known.first else { return now + 6 * hour }
    guard !gaps.isEmpty else { return now + bounded((now - newest) / 8) }
    let expected = newest + gaps[gaps.count / 2]
    let wait = expected > now ? expected - now + 5 * minute : bounded(now - expected)
    return now + bounded(min(wait, max(gaps[gaps.count / 2], now - newest) / 8)) * 95 / 100
}

/// Sia, Cho and others: as many requests a day as the plain rule sends, at the hours of the day in which most episodes came.
let hours: Rule = { known, now in
    let latest = known.prefix(52)
    guard latest.count > 5, let newest = known.first, let oldest = latest.last else { return plain(known, now) }
    let moments = latest.map { ($0.seconds % day + day) % day }.sorted()
    let perDay = max(1, min(24, Int(8 * Double(latest.count) * Double(day) / Double(max(newest - oldest, day)))))
    let looks = (1...perDay).map { moments[min(moments.count - 1, moments.count * $0 / perDay)] + 2 * minute }
    let waits = looks.map { (($0 - now.seconds) % day + day) % day }.filter { $0 > minute }
    return now + (waits.min() ?? day)
}

/// Urbansky and others: the mean gap of the latest episodes, halved, since the last one.
let mean: Rule = { known, now in
    let latest = known.prefix(10)
    guard latest.count > 1, let newest = latest.first, let oldest = latest.last else { return now + 6 * hour }
    return now + min(max((newest - oldest) / Int64(latest.count - 1) / 8, 15 * minute), day)
}

struct Outcome {
    var delays: [Int64] = []
    var requests = 0
    var seconds: Int64 = 0

    static func + (a: Outcome, b: Outcome) -> Outcome {
        Outcome(delays: a.delays + b.delays, requests: a.requests + b.requests, seconds: a.seconds + b.seconds)
    }

    private func minutes(_ share: Double) -> String {
        let sorted = delays.sorted()
        guard !sorted.isEmpty else { return "-" }
        return String(sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))] / minute)
    }

    static let heading = ["a day", "median", "p95", "p99", "mean", "in 1 h"]

    var row: [String] {
        let perDay = Double(requests * 100) / max(1, Double(seconds) / Double(day))
        let mean = delays.isEmpty ? 0 : delays.reduce(0, +) / Int64(delays.count) / minute
        let soon = delays.isEmpty ? 0 : delays.count { $0 <= hour } * 100 / delays.count
        return [String((perDay).rounded() / 100), minutes(0.5), minutes(0.95), minutes(0.99), String(mean), "\(soon) %"]
    }
}

func replay(_ dates: [Timestamp], _ rule: Rule) -> Outcome {
    let half = max(dates.count / 2, dates.count - 100)
    var outcome = Outcome()
    var (next, now) = (half, dates[half - 1] + hour)
    while next < dates.count {
        now = max(rule(dates[..<next].reversed(), now), now + minute)
        outcome.requests += 1
        while next < dates.count, dates[next] <= now {
            outcome.delays.append(now - dates[next])
            next += 1
        }
    }
    outcome.seconds = now - dates[half - 1]
    return outcome
}

/// What a rule could reach that knew the feed's true habits: the timetable of a week, in hindsight the best for these episodes,
/// with as many requests as the plain rule sends.
func timetable(_ dates: [Timestamp], requests: Outcome) -> Outcome {
    let slot: Int64 = 600
    let slots = Int(7 * day / slot)
    let half = max(dates.count / 2, dates.count - 100)
    let place = { (time: Timestamp) in Int((time.seconds / slot) % Int64(slots)) }
    // Of each episode, how many slots it waits for the first of the requests so far.
    var waits = dates[half...].map { (at: place($0), wait: slots) }
    let number = max(1, Int((Double(requests.requests) * Double(7 * day) / Double(max(requests.seconds, 1))).rounded()))
    for _ in 0..<min(number, slots) {
        func gain(_ look: Int) -> Int { waits.reduce(0) { $0 + max(0, $1.wait - (look - $1.at + slots) % slots) } }
        guard let best = (0..<slots).map({ ($0, gain($0)) }).max(by: { $0.1 < $1.1 })?.0 else { break }
        for index in waits.indices { waits[index].wait = min(waits[index].wait, (best - waits[index].at + slots) % slots) }
    }
    var outcome = Outcome()
    outcome.delays = zip(dates[half...], waits).map { date, wait in
        Int64(wait.wait + 1) * slot - (date.seconds % slot + slot) % slot
    }
    outcome.seconds = dates[dates.count - 1] - dates[half - 1]
    outcome.requests = Int(Double(number) * Double(outcome.seconds) / Double(7 * day))
    return outcome
}

/// What a rule could reach that knew each date beforehand: one request an episode, and one a day.
func oracle(_ dates: [Timestamp]) -> Outcome {
    var outcome = Outcome()
    let half = max(dates.count / 2, dates.count - 100)
    outcome.delays = dates[half...].map { _ in 0 }
    outcome.seconds = dates[dates.count - 1] - dates[half - 1]
    outcome.requests = max(dates.count - half, Int(outcome.seconds / day))
    return outcome
}

/// By the share of the last hundred episodes that come in three hours of the day.
func kind(of dates: [Timestamp]) -> String {
    let moments = dates.suffix(100).map { ($0.seconds % day + day) % day }
    guard moments.count(where: { $0 == 0 }) * 2 < moments.count else { return "no habit" }
    let most = moments.map { start in moments.count { (($0 - start) % day + day) % day < 3 * hour } }.max() ?? 0
    return most * 100 >= 74 * moments.count ? "habit" : most * 100 >= 45 * moments.count ? "half a habit" : "no habit"
}

func dates(inFile path: String) -> [Timestamp]? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    let parser = FeedParser()
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = fread(&piece, 1, piece.count, file), count > 0 { parser.push(Array(piece[..<count])) }
    return (try? parser.finish()).map { Set($0.items.compactMap(\.item.publishedAt)).sorted() }
}

/// Processor time in microseconds that a request costs the schedule.
struct Cost {
    /// Of a 304, and of an answer with a new episode, by the learned rule.
    var (planned, found) = (0.0, 0.0)
    /// The same by the gap alone.
    var (gap, gapFound) = (0.0, 0.0)

    /// The mean of these feeds, each with all of its dates.
    init(_ feeds: [[Timestamp]]) {
        let rounds = 50
        for dates in feeds {
            let last = Array(dates.reversed())
            // Each of the two has another newest episode than the other.
            let (feeds, now) = ([feed(of: last), feed(of: Array(last.dropFirst()))], last[0] + hour)
            var podcast = Podcast(id: PodcastID(text: "replay"), feedURL: "http://example.com/", subscribedAt: now)
            found += Self.measured {
                for round in 0..<rounds {
                    podcast.fetch.lastSuccessAt = nil
                    record(feeds[round % 2], of: &podcast, now)
                }
            }
            planned += Self.measured { for _ in 0..<rounds { record(nil, of: &podcast, now) } }
            // Too few to show a habit.
            record(feed(of: Array(last.prefix(5))), of: &podcast, now)
            podcast.fetch.cadence.recent = Array(last.prefix(5))
            podcast.fetch.cadence.plan = []
            let once = Self.measured { for _ in 0..<rounds { record(nil, of: &podcast, now) } }
            gap += once
            gapFound += once + Self.measured { for round in 0..<rounds { sum &+= rhythm(of: feeds[round % 2], now) } }
        }
        let count = Double(max(1, feeds.count * rounds))
        (planned, found, gap, gapFound) = (planned / count, found / count, gap / count, gapFound / count)
    }

    private var sum: Int64 = 0

    /// What the gap alone needs to know of a feed: the median gap of its ten newest episodes.
    private func rhythm(of feed: ParsedFeed, _ now: Timestamp) -> Int64 {
        let recent = feed.items.compactMap(\.item.publishedAt).filter { $0 <= now }.sorted(by: >).prefix(10)
        let gaps = zip(recent, recent.dropFirst()).map { $0 - $1 }.filter { $0 >= hour / 4 }.sorted()
        return gaps.isEmpty ? 0 : gaps[gaps.count / 2]
    }

    private static func measured(_ body: () -> Void) -> Double {
        var (start, end) = (timespec(), timespec())
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start)
        body()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end)
        return Double(end.tv_sec - start.tv_sec) * 1e6 + Double(end.tv_nsec - start.tv_nsec) / 1e3
    }

    /// Milliseconds for 100,000 requests, of which a share finds an episode.
    func milliseconds(finding share: Double) -> String {
        func sum(_ none: Double, _ one: Double) -> Int { Int(((none * (1 - share) + one * share) * 100).rounded()) }
        return "\(sum(planned, found)) ms (by the gap alone, \(sum(gap, gapFound)) ms)"
    }
}

func show(_ name: String, _ row: [String]) {
    let cells = [name.padding(34)] + row.map { String(repeating: " ", count: max(1, 9 - $0.count)) + $0 }
    print(cells.joined())
}

extension String {
    func padding(_ width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}

let rules: [(String, () -> Rule)] = [
    ("learned", { learned() }), ("plain", { plain }), ("every 15 min", { { $1 + 15 * minute } }),
    ("every hour", { { $1 + hour } }),
    ("hours of the day (Sia, Cho)", { hours }), ("mean gap (Urbansky)", { mean }),
]
let names = rules.map(\.0) + ["who knows the habit", "who knows every date"]
var totals: [String: [Outcome]] = [:]
var counts: [String: Int] = [:]
let paths = CommandLine.arguments.dropFirst().filter { !$0.hasPrefix("--") }
let showsEach = CommandLine.arguments.contains("--each")
let showsCost = CommandLine.arguments.contains("--cost")
for path in paths where !showsCost {
    guard let dates = dates(inFile: path) else {
        print("schedule-replay: \(path): not a readable feed")
        exit(66)
    }
    guard dates.count >= 20 else { continue }
    let outcomes = rules.map { replay(dates, $0.1()) }
    let all = outcomes + [timetable(dates, requests: outcomes[1]), oracle(dates)]
    let kind = kind(of: dates)
    for kind in [kind, "over all"] {
        totals[kind] = totals[kind].map { zip($0, all).map { $0 + $1 } } ?? all
        counts[kind, default: 0] += 1
    }
    guard showsEach else { continue }
    show("\(kind): \(path.split(separator: "/").last ?? "")", Outcome.heading)
    for (name, outcome) in zip(names, all).prefix(2) { show("  " + name, outcome.row) }
}
for kind in ["habit", "half a habit", "no habit", "over all"] {
    guard let count = counts[kind], let total = totals[kind] else { continue }
    show("\(kind) (\(count))", Outcome.heading)
    for (name, outcome) in zip(names, total) { show("  " + name, outcome.row) }
}
for publisher in MadePublisher.all where paths.count > 1 && !showsCost {
    show("made: " + publisher.name, Outcome.heading)
    show("  learned", replay(publisher.dates, learned(publisher.stated)).row)
    show("  plain", replay(publisher.dates) { known, now in plain(known.map(publisher.stated), now) }.row)
}
let cost = Cost(paths.compactMap { dates(inFile: $0) }.filter { $0.count >= 20 })
func microseconds(_ value: Double) -> String { "\((value * 100).rounded() / 100) µs" }
print(
    "a request costs the schedule \(microseconds(cost.planned)) if it finds nothing, \(microseconds(cost.found)) if it finds an",
    "episode; by the gap alone, \(microseconds(cost.gap)) and \(microseconds(cost.gapFound))")
print(
    "100,000 requests: \(cost.milliseconds(finding: 0)) if none finds an episode,",
    "\(cost.milliseconds(finding: 0.1)) if a tenth does, \(cost.milliseconds(finding: 1)) if all do")
