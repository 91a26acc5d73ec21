public import Domain
public import Scheduling

extension PublishingHabit.Window {
    /// Such as `Tuesdays 05:00–05:20 UTC, 41 of the last 52 episodes`.
    var words: String {
        let hours = earliest / 60 == latest / 60 ? Self.time(earliest) : "\(Self.time(earliest))–\(Self.time(latest))"
        return "\(days) \(hours) UTC, \(hits) of the last \(counted(episodes, "episode"))"
    }

    private var days: String {
        let names = ["Sundays", "Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays"]
        if weekdays.isEmpty { return "every day" }
        if weekdays == Array(1...5) { return "Mondays to Fridays" }
        return weekdays.filter(names.indices.contains).map { names[$0] }.joined(separator: ", ")
    }

    static func time(_ second: Int64) -> String {
        let (hour, minute) = (second / 3_600, second / 60 % 60)
        return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
    }
}

extension Podcast {
    /// The usual days and hours of its episodes; empty if it has none.
    func usualWindows(now: Timestamp) -> [PublishingHabit.Window] {
        PublishingHabit(of: fetch.cadence.appearances, now: now)?.windows(now: now) ?? []
    }
}

/// The same in JSON: weekdays from 0 (Sunday), hours in UTC.
struct WindowFields: Fields {
    let window: PublishingHabit.Window

    func visit<V: FieldVisitor>(_ visitor: inout V) {
        visitor.integers("weekdays", window.weekdays)
        visitor.text("earliest", PublishingHabit.Window.time(window.earliest))
        visitor.text("latest", PublishingHabit.Window.time(window.latest))
        visitor.integer("hits", window.hits)
        visitor.integer("episodes", window.episodes)
    }
}

extension ExpectedEpisode {
    /// Such as `Tuesday 05:00`, `Tue 3 Mar 05:00` or `around 3 Mar`, in the user's time zone.
    public func words(now: Timestamp) -> String {
        let when = at.expectedWords(now: now, hasHour: hasHour)
        return isLate ? "\(when), late" : when
    }
}

extension Timestamp {
    fileprivate func expectedWords(now: Timestamp, hasHour: Bool) -> String {
        let (parts, hour) = localWeekday
        let isNear = abs(self - now) < 6 * 86_400
        let day = isNear ? parts.long : "\(parts.short) \(parts.date)"
        return hasHour ? "\(day) \(hour)" : "around \(day)"
    }
}
