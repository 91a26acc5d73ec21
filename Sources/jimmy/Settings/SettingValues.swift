import ArgumentParser
import Domain

/// When results are coloured.
enum ColorChoice: String, CaseIterable, ExpressibleByArgument {
    case auto, always, never
}

/// A country of ISO 3166-1: two letters.
struct Country: ExpressibleByArgument {
    let code: String

    init?(argument: String) {
        guard argument.utf8.count == 2, argument.utf8.allSatisfy({ ("a"..."z").contains(Character(UnicodeScalar($0 | 0x20))) })
        else { return nil }
        code = argument.uppercased()
    }
}

/// The URL of a service.
struct Endpoint: ExpressibleByArgument {
    let url: String

    init?(argument: String) {
        guard WebURL(argument) != nil else { return nil }
        url = argument
    }
}

/// What may stand in an HTTP header.
struct HeaderText: ExpressibleByArgument {
    let text: String

    init?(argument: String) {
        guard !argument.isEmpty, argument.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else { return nil }
        text = argument
    }
}
