public import Domain
import Testing

extension Podcast: Hosted {}

struct FetchTurnsTests {
    static func podcasts(_ hosts: [(String, Int)]) -> [Podcast] {
        hosts.flatMap { host, count in
            (0..<count).map {
                let url = "https://\(host)/\($0)"
                return Podcast(id: PodcastID(feedURL: url), feedURL: url, subscribedAt: Timestamp(seconds: 0))
            }
        }
    }

    private func takeAll(_ turns: inout FetchTurns<Podcast>) -> [Podcast] {
        var taken = [Podcast]()
        while case .fetch(let podcast) = turns.take() { taken.append(podcast) }
        return taken
    }

    @Test func hostsTakeTurns() {
        var turns = FetchTurns(Self.podcasts([("a", 3), ("b", 1), ("c", 2)]), perHost: 9)
        let hosts = takeAll(&turns).map { String($0.feedURL.dropFirst(8).prefix(1)) }
        #expect(hosts == ["a", "b", "c", "a", "c", "a"])
        #expect(turns.remaining == 0)
    }

    @Test func aHostGetsNoMoreThanItMay() {
        var turns = FetchTurns(Self.podcasts([("a", 5), ("b", 1)]), perHost: 2)
        let first = takeAll(&turns)
        #expect(first.count == 3)
        turns.ended(first[0], failure: nil)
        #expect(takeAll(&turns).count == 1)
        #expect(turns.remaining == 2)
    }

    @Test func aDeadHostIsLeftAlone() {
        var turns = FetchTurns(Self.podcasts([("dead", 6), ("b", 6)]), perHost: 1)
        var asked = 0
        var given = 0
        while let turn = turns.take() {
            switch turn {
            case .fetch(let podcast):
                let isDead = podcast.feedURL.contains("dead")
                if isDead { asked += 1 }
                turns.ended(podcast, failure: isDead ? FetchFailure(.connect) : nil)
            case .unreachable(let podcast, let failure):
                #expect(podcast.feedURL.contains("dead"))
                #expect(failure.code == .connect)
                given += 1
            case .wait: Issue.record("nobody asked for a pause")
            }
        }
        #expect(asked == 3)
        #expect(given == 3)
    }

    @Test func aHostThatAnswersInBetweenIsNotDead() {
        var turns = FetchTurns(Self.podcasts([("a", 9)]), perHost: 1)
        var number = 0
        while case .fetch(let podcast) = turns.take() {
            number += 1
            turns.ended(podcast, failure: number % 3 == 0 ? FetchFailure(.http, status: 500) : FetchFailure(.timeout))
        }
        #expect(number == 9)
    }

    @Test func aHostThatAsksForAPauseGetsIt() {
        let until = Timestamp(seconds: 1_000)
        var turns = FetchTurns(Self.podcasts([("a", 2)]), perHost: 1)
        guard case .fetch(let podcast) = turns.take() else {
            Issue.record("nothing to fetch")
            return
        }
        turns.ended(podcast, failure: FetchFailure(.http, status: 429))
        turns.pause("https://a", until: until)
        guard case .wait(_, until) = turns.take() else {
            Issue.record("no pause")
            return
        }
    }
}
