internal import Domain
internal import Searching

/// Counts all matches of a search by podcast, year and language.
struct FacetCounts {
    private var podcasts: [PodcastID: Int] = [:]
    private var years: [Int: Int] = [:]
    private var languages: [Language: Int] = [:]

    /// Number of podcasts that are listed: those with the most matches.
    private static let maxPodcasts = 20

    init(_ plan: SearchPlan, of facets: [SearchFacet]) {
        for number in plan.snapshot.segments.indices {
            add(SegmentWalk(plan, in: number), plan.snapshot.segments[number], facets)
        }
    }

    private mutating func add(_ walk: SegmentWalk, _ segment: Segment, _ facets: [SearchFacet]) {
        var rows: [Int: Int] = [:]
        let ofPodcast = facets.contains(.podcast) || facets.contains(.language)
        var year = YearSpan()
        while !walk.isAtEnd {
            if walk.isWanted {
                if ofPodcast { rows[Int(segment.facts(walk.matches.cursor.document).podcast), default: 0] += 1 }
                if facets.contains(.year), walk.published > 0 { years[year.of(walk.published), default: 0] += 1 }
            }
            walk.advance()
        }
        for (row, count) in rows {
            if facets.contains(.podcast) { podcasts[segment.podcastID(row), default: 0] += count }
            if facets.contains(.language) { languages[segment.podcast(row).language, default: 0] += count }
        }
    }

    /// Values with the most matches first; years with the newest first.
    func counts(of facets: [SearchFacet]) -> [SearchFacet: [FacetCount]] {
        let all: [SearchFacet: [FacetCount]] = [
            .podcast: Array(ranked(podcasts.map { ($0.key.text, $0.value) }).prefix(Self.maxPodcasts)),
            .year: years.sorted { $0.key > $1.key }.map { FacetCount(value: String($0.key), count: $0.value) },
            .language: ranked(languages.filter { $0.key != .undetermined }.map { ($0.key.code, $0.value) }),
        ]
        return all.filter { facets.contains($0.key) }
    }

    private func ranked(_ counts: [(value: String, count: Int)]) -> [FacetCount] {
        counts.sorted { ($1.count, $0.value) < ($0.count, $1.value) }.map { FacetCount(value: $0.value, count: $0.count) }
    }
}

/// Determines the year of times, quickly if the previous time was in the same year.
private struct YearSpan {
    private var year = 0
    private var seconds = 0..<0

    mutating func of(_ time: Int) -> Int {
        if seconds.contains(time) { return year }
        year = 1970 + time / 31_556_952
        // The average length of a year makes this off by a day at most.
        if time < Self.start(of: year) { year -= 1 } else if time >= Self.start(of: year + 1) { year += 1 }
        seconds = Self.start(of: year)..<Self.start(of: year + 1)
        return year
    }

    private static func start(of year: Int) -> Int {
        Timestamp(year: year, month: 1, day: 1, hour: 0, minute: 0, second: 0).map { Int($0.seconds) } ?? 0
    }
}
