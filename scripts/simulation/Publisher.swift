import Domain

/// When one feed publishes: a plain function of the feed's number, so that nothing is stored. Times are seconds since the
/// simulation begins.
struct Publisher {
    let feed: Int
    let rhythm: Rhythm
    /// Of episode 0.
    private let origin: Double
    /// The share of the episodes that come at the usual time, and how far from it they come.
    private let kept: Double
    private let scatter: Double
    /// When a silent feed publishes again.
    private let awakening: Double

    /// What a chance decides.
    private enum Purpose {
        static let (rhythm, phase, habit, kept, awakening, validators, hub, length, scatter) = (1, 2, 3, 4, 5, 6, 7, 8, 9)
        static let exception = 1 << 40
        static let episode = 1_000
    }

    private static let limits: [(Rhythm, Double)] = {
        var sum = 0.0
        return Statistics.rhythms.map { rhythm, feeds in
            sum += feeds / Double(Statistics.feeds)
            return (rhythm, sum)
        }
    }()

    init(feed: Int) {
        self.feed = feed
        let share = chance(feed, Purpose.rhythm)
        rhythm = Self.limits.first { share < $0.1 }?.0 ?? .dormant
        let phase = chance(feed, Purpose.phase)
        let habit = Habit.drawn(chance(feed, Purpose.habit))
        let (least, most) = (habit.kept.lowerBound, habit.kept.upperBound)
        kept = least + (most - least) * chance(feed, Purpose.kept)
        // Most are minutes from their time, few more than an hour.
        let width = chance(feed, Purpose.scatter)
        scatter = 5_400 * width * width
        if let period = rhythm.period {
            origin = -phase * period
            awakening = .infinity
        } else {
            // Between a quarter and ten years ago, the more the longer ago.
            var silence = 90.0 * 86_400
            for _ in 0..<Int(phase * 64) { silence *= 1.0594 }
            origin = -silence
            // As the real feeds that came back, it keeps its hour as well as before.
            let moment = chance(feed, Purpose.awakening) * Statistics.awakening * 86_400
            let days = ((moment - origin) / 86_400).rounded(.up)
            let isKept = chance(feed, Purpose.exception + 1) < kept
            let place = 2 * chance(feed, Purpose.episode + 1) - 1
            awakening = isKept ? origin + days * 86_400 + place * scatter : moment
        }
    }

    /// Of episodes that it has at some time; the number of the newest.
    func newest(at time: Double) -> Int {
        guard let period = rhythm.period else { return time >= awakening ? 1 : 0 }
        var number = Int(((time - origin) / period).rounded(.down)) + 1
        while self.time(of: number) > time { number -= 1 }
        return number
    }

    func time(of episode: Int) -> Double {
        if rhythm.period == nil, episode > 0 { return episode == 1 ? awakening : .infinity }
        let period = rhythm.period ?? 7 * 86_400
        let isKept = chance(feed, Purpose.exception + episode) < kept
        let place = 2 * chance(feed, Purpose.episode + episode) - 1
        return origin + Double(episode) * period + place * (isKept ? scatter : period * 0.45)
    }

    /// What the newest tell, as a feed with them would.
    func recall(_ newest: Int, count: Int, into times: inout [Timestamp]) {
        times.removeAll(keepingCapacity: true)
        for age in 0..<count { times.append(Clock.timestamp(time(of: newest - age))) }
    }

    var hasValidators: Bool { chance(feed, Purpose.validators) < Statistics.validatorShare }
    /// True for that share of the feeds with an episode in the last quarter.
    func hasHub(_ share: Double) -> Bool { rhythm != .dormant && chance(feed, Purpose.hub) < share }
    /// Few have many; 34 on average.
    var episodes: Double {
        let mean = Double(Statistics.episodes) / Double(Statistics.feeds)
        let share = chance(feed, Purpose.length)
        return share < 0.75 ? mean * share * 2 / 3 : mean * (1 + (share - 0.75) * 18)
    }
}

/// The simulation's time as the rules have it.
enum Clock {
    private static let start: Int64 = 1_800_000_000

    static func timestamp(_ seconds: Double) -> Timestamp { Timestamp(seconds: start + Int64(seconds.rounded(.down))) }
    static func seconds(_ time: Timestamp) -> Double { Double(time.seconds - start) }
}
