/// What is published about all podcasts (Podcast Index, and the crawls of those who fetch them all), and what is assumed
/// where nothing is.
enum Statistics {
    static let feeds = 4_257_865
    static let episodes = 143_953_477
    /// Feeds whose newest episode is at most so many days old.
    static let fresh = (three: 97_522.0, ten: 212_322.0, thirty: 306_748.0, ninety: 436_933.0)
    /// The shares of the ten largest hosts; two thirds together.
    static let largest = [0.39, 0.065, 0.05, 0.04, 0.032, 0.026, 0.021, 0.017, 0.014, 0.0116]
    /// Requests that take `slow` seconds; the others take 0.1 to 0.3.
    static let slowShare = 0.02
    static let slow = 30.0
    /// Feeds whose servers answer 304.
    static let validatorShare = 0.6

    // Assumed.

    /// Of the largest host outside the ten, the next has half as many feeds, then a third, and so on.
    static let largestOther = 40_000
    /// Days until a feed that has been silent for a quarter publishes again, on average.
    static let awakening = 1_000.0
    /// Seconds until a hub tells of an episode.
    static let ping = 5.0...60
    /// Bytes of a feed as it is sent, for each of its episodes.
    static let bytesPerEpisode = 770.0

    /// Feeds by the days between their episodes. Of a feed that publishes every P days the newest episode is of any age up
    /// to P; so the published numbers are those of four periods.
    static let rhythms: [(rhythm: Rhythm, feeds: Double)] = {
        let quarterly = (fresh.ninety - fresh.thirty) * 90 / 60
        let monthly = (fresh.thirty - fresh.ten - quarterly * 20 / 90) * 30 / 20
        let weekly = (fresh.ten - fresh.three - monthly * 7 / 30 - quarterly * 7 / 90) * 7 / 4
        let daily = fresh.three - weekly * 3 / 7 - monthly * 3 / 30 - quarterly * 3 / 90
        return [
            (.daily, daily), (.weekly, weekly), (.monthly, monthly), (.quarterly, quarterly),
            (.dormant, Double(feeds) - fresh.ninety),
        ]
    }()
}

/// How often a feed has an episode.
enum Rhythm: Int, CaseIterable {
    case daily, weekly, monthly, quarterly, dormant

    /// Seconds; nil for a feed that has been silent for more than a quarter.
    var period: Double? {
        switch self {
        case .daily: 86_400
        case .weekly: 7 * 86_400
        case .monthly: 30 * 86_400
        case .quarterly: 90 * 86_400
        case .dormant: nil
        }
    }
}

/// Numbers that look random, and are the same in each run: a hash of what they are for.
func chance(_ feed: Int, _ purpose: Int) -> Double {
    var x =
        UInt64(truncatingIfNeeded: feed) &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(truncatingIfNeeded: purpose) &* 0xD1B5_4A32_D192_ED03
    x = (x ^ (x >> 30)) &* 0xBF58_476D_1CE4_E5B9
    x = (x ^ (x >> 27)) &* 0x94D0_49BB_1331_11EB
    return Double((x ^ (x >> 31)) >> 11) / Double(UInt64(1) << 53)
}

/// How far publishers keep to their hours: of 29 real feeds with twenty dates or more, the share of the episodes that come within
/// three hours of the day.
enum Habit: CaseIterable {
    case strong, half, none

    private var feeds: Int {
        switch self {
        case .strong: 17
        case .half: 4
        case .none: 8
        }
    }

    /// The share of the episodes that come at the usual time; the others scatter over nearly all of the period.
    var kept: ClosedRange<Double> {
        switch self {
        case .strong: 0.74...1
        case .half: 0.45...0.69
        case .none: 0...0.1
        }
    }

    static func drawn(_ chance: Double) -> Habit {
        var sum = 0.0
        for habit in allCases {
            sum += Double(habit.feeds) / 29
            if chance < sum { return habit }
        }
        return .none
    }
}
