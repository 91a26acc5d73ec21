import ArgumentParser
import Composition
import Domain
import Searching

/// A date after `--since` or `--until`.
struct DateArgument: ExpressibleByArgument {
    private let date: QueryDate

    init?(argument: String) {
        guard let date = QueryDate(argument) else { return nil }
        self.date = date
    }

    func start(_ now: Timestamp) -> Timestamp { date.start(now, zone: now.zone) }
    func end(_ now: Timestamp) -> Timestamp { date.end(now, zone: now.zone) }
}
