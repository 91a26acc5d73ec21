import Addresses
public import ArgumentParser
import Domain

/// When results are coloured.
public enum ColorChoice: String, CaseIterable, ExpressibleByArgument, Sendable {
    case auto, always, never
}

/// A span of an episode: `30s`, `2m`, `1:30`.
public struct PlaySpan: ExpressibleByArgument, Sendable {
    public let seconds: Double

    public init(seconds: Double) { self.seconds = seconds }

    public init?(argument: String) {
        guard let seconds = PlayTime.parse(argument) else { return nil }
        self.seconds = seconds
    }

    public var defaultValueDescription: String { seconds == seconds.rounded() ? "\(Int(seconds))s" : "\(seconds)s" }
}

/// A time of day: `07:00`.
public struct TimeOfDay: ExpressibleByArgument, Sendable {
    /// After midnight.
    public let minutes: Int

    public init?(argument: String) {
        let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ (1...2).contains($0.utf8.count) }), let hour = Int(parts[0]),
            let minute = Int(parts[1]), (0..<24).contains(hour), (0..<60).contains(minute)
        else { return nil }
        minutes = hour * 60 + minute
    }
}

/// A playing speed; 1 is the recorded one.
public struct Speed: ExpressibleByArgument, Sendable {
    public let factor: Double

    public init?(argument: String) {
        guard let factor = Double(argument), (0.25...4).contains(factor) else { return nil }
        self.factor = factor
    }
}

/// A setting that is on or off.
public enum Switch: String, CaseIterable, ExpressibleByArgument, Sendable {
    case on, off
}

/// A country of ISO 3166-1: two letters.
public struct Country: ExpressibleByArgument, Sendable {
    public let code: String

    public init?(argument: String) {
        guard argument.utf8.count == 2, argument.utf8.allSatisfy({ ("a"..."z").contains(Character(UnicodeScalar($0 | 0x20))) })
        else { return nil }
        code = argument.uppercased()
    }
}

/// The URL of a service.
public struct Endpoint: ExpressibleByArgument, Sendable {
    public let url: String

    public init?(argument: String) {
        guard WebURL(argument) != nil else { return nil }
        url = argument
    }
}

/// How a server's owner can reach the user: a URL or an e-mail address, without characters that end a comment in the
/// User-Agent.
public struct Contact: ExpressibleByArgument, Sendable {
    public let text: String

    public init?(argument: String) {
        guard argument.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"()\\\"<>,;".utf8.contains($0) }) else { return nil }
        let parts = argument.split(separator: "@", omittingEmptySubsequences: false)
        let isAddress = parts.count == 2 && parts.allSatisfy { !$0.isEmpty } && !argument.contains("/")
        guard isAddress || WebURL(argument)?.credentials == nil && WebURL(argument) != nil else { return nil }
        text = argument
    }
}

/// A value that HTTP headers allow.
public struct HeaderText: ExpressibleByArgument, Sendable {
    public let text: String

    public init?(argument: String) {
        guard !argument.isEmpty, argument.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else { return nil }
        text = argument
    }
}
