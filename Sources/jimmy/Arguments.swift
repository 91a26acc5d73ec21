public import ArgumentParser
public import Domain
public import Presentation

extension SearchRequest.Sort: ExpressibleByArgument {
    // Without these two the parser would use reflection, which delays every search.
    public static var allValueStrings: [String] { allCases.map { $0.rawValue } }
    public static var allValueDescriptions: [String: String] { [:] }
}

extension ExportDocument.Format: ExpressibleByArgument {}

/// Help of arguments that name a podcast or an episode.
enum Names {
    static let podcastHelp = ArgumentHelp(
        "An id or its beginning, a feed URL, or words of the title.", valueName: "podcast")
    static let episodeHelp = ArgumentHelp("An id or its beginning, words of the title, or PODCAST/WORDS.", valueName: "episode")
}

/// A whole number, 0 or more.
struct Count: ExpressibleByArgument {
    let value: Int

    init(_ value: Int) { self.value = value }

    init?(argument: String) {
        guard let value = Int(argument), value >= 0 else { return nil }
        self.value = value
    }

    var defaultValueDescription: String { String(value) }
}

/// A whole number within bounds.
struct Number<Range: NumberRange>: ExpressibleByArgument, Sendable {
    let value: Int

    init(_ value: Int) { self.value = value }

    init?(argument: String) {
        guard let value = Int(argument), Range.bounds.contains(value) else { return nil }
        self.value = value
    }

    var defaultValueDescription: String { String(value) }
}

/// The bounds of a number; messages name them (`ValueForm`, `Setting.form`).
protocol NumberRange {
    static var bounds: ClosedRange<Int> { get }
}

/// Number of fetches at the same time.
enum Simultaneous: NumberRange {
    static let bounds = 1...512
}

/// Position in the play queue.
enum Position: NumberRange {
    static let bounds = 1...Int.max
}

/// Weeks of a chart, up to ten years.
enum Weeks: NumberRange {
    static let bounds = 1...520
}

/// Number of a directory's results; Apple's search API gives no more.
enum DirectoryLimit: NumberRange {
    static let bounds = 1...200
}

/// Seconds, possibly with a fraction.
struct Seconds: ExpressibleByArgument {
    let value: Double

    init(_ value: Double) { self.value = value }

    init?(argument: String) {
        guard let value = Double(argument), value > 0, value <= 86_400 else { return nil }
        self.value = value
    }

    var defaultValueDescription: String { value == value.rounded() ? String(Int(value)) : String(value) }
}

/// A number of bytes: `1000000`, `64M`, `1G` (powers of 1024).
struct ByteCount: ExpressibleByArgument {
    let value: Int

    init(_ value: Int) { self.value = value }

    init?(argument: String) {
        let units: [Character: Int] = ["k": 10, "m": 20, "g": 30]
        let shift = argument.last.flatMap { units[Character($0.lowercased())] }
        let digits = shift == nil ? argument[...] : argument.dropLast()
        guard let number = Int(digits), number > 0, number <= Int.max >> (shift ?? 0) else { return nil }
        value = number << (shift ?? 0)
    }

    var defaultValueDescription: String { value % (1 << 20) == 0 ? "\(value >> 20)M" : String(value) }
}

/// An interval between fetches, within the schedule's bounds: `30m`, `6h`, `2d`, `1w`.
struct Interval: ExpressibleByArgument {
    let seconds: Int64

    init?(argument: String) {
        let units: [Character: Int64] = ["m": 60, "h": 3_600, "d": 86_400, "w": 7 * 86_400]
        guard let unit = argument.last.flatMap({ units[$0] }), let number = Int64(argument.dropLast()), number < 100_000 else {
            return nil
        }
        seconds = number * unit
        guard (900...7 * 86_400).contains(seconds) else { return nil }
    }
}

/// `on` or `off`.
struct OnOff: ExpressibleByArgument {
    let isOn: Bool

    init?(argument: String) {
        guard argument == "on" || argument == "off" else { return nil }
        isOn = argument == "on"
    }
}

/// A value, or the word `default` to remove it.
struct OrDefault<Value: ExpressibleByArgument & Sendable>: ExpressibleByArgument, Sendable {
    let value: Value?

    init?(argument: String) {
        if argument == "default" || argument.isEmpty {
            value = nil
        } else if let value = Value(argument: argument) {
            self.value = value
        } else {
            return nil
        }
    }
}

/// Names of facets, separated by commas.
struct FacetNames: ExpressibleByArgument {
    let facets: Set<SearchFacet>

    static let allValueStrings = SearchFacet.allCases.map(\.rawValue)

    init?(argument: String) {
        var facets: Set<SearchFacet> = []
        for name in argument.split(separator: ",", omittingEmptySubsequences: false) {
            guard let facet = SearchFacet(rawValue: String(name)) else { return nil }
            facets.insert(facet)
        }
        self.facets = facets
    }
}
