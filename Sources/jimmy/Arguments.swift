public import ArgumentParser
import Composition
import Domain
public import Presentation
public import Searching

extension SearchRequest.Sort: ExpressibleByArgument {
    // Without these two the parser would use reflection, which delays every search.
    public static var allValueStrings: [String] { allCases.map { $0.rawValue } }
    public static var allValueDescriptions: [String: String] { [:] }
}

extension ExportDocument.Format: ExpressibleByArgument {}

/// The order of a list by date.
enum DateOrder: String, CaseIterable, ExpressibleByArgument {
    /// Newest first.
    case date
    case oldest

    static let help = ArgumentHelp("Newest first (date) or oldest first.", valueName: "order")
}

/// Help of arguments that name a podcast or an episode.
enum Names {
    static let podcastHelp = ArgumentHelp(
        "An id or its beginning, a feed URL, or words of the title.", valueName: "podcast")
    /// Of commands that take podcasts too.
    static let episodesHelp = ArgumentHelp(
        "An id or its beginning, words of a title, PODCAST/WORDS, or a podcast; '-' reads ids from standard input.",
        valueName: "episode")
    static let pickHelp: ArgumentHelp =
        "Choose from a list of the matches, or of the new episodes if nothing else is asked for. In fzf if it is installed."
    static let allHelp: ArgumentHelp = "Let the name of a podcast stand for all of its episodes."
    static let queuedHelp = ArgumentHelp(
        "An id or its beginning, words of the title, or PODCAST/WORDS; '-' reads ids from standard input.", valueName: "episode")
    static let episodeHelp = ArgumentHelp("An id or its beginning, words of the title, or PODCAST/WORDS.", valueName: "episode")
}

/// A query of several words: `-word` belongs to it, `--word` is a mistyped option.
enum QueryWords {
    /// - Parameter arguments: everything that the parser did not recognise.
    static func words(_ arguments: [String]) throws -> [String] {
        if let option = arguments.prefix(while: { $0 != "--" }).first(where: { $0.hasPrefix("--") }) {
            throw ValidationError("Unknown option '\(option)'")
        }
        return arguments.filter { $0 != "--" }
    }
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

/// An interval between fetches, within the schedule's bounds: `30m`, `6h`, `2d`, `1w`.
struct Interval: ExpressibleByArgument {
    let seconds: Int64

    init?(argument: String) {
        let units: [Character: Int64] = ["m": 60, "h": 3_600, "d": 86_400, "w": 7 * 86_400]
        guard let unit = argument.last.flatMap({ units[$0] }), let number = Int64(argument.dropLast()),
            (0..<100_000).contains(number)
        else { return nil }
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
    let facets: [SearchFacet]

    static let allValueStrings = SearchFacet.allCases.map(\.rawValue)

    init?(argument: String) {
        var facets: [SearchFacet] = []
        for name in argument.split(separator: ",", omittingEmptySubsequences: false) {
            guard let facet = SearchFacet(rawValue: String(name)) else { return nil }
            facets.append(facet)
        }
        self.facets = facets
    }
}
