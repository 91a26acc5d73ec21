import Addresses
public import Domain
public import Results

/// The result for each subscription of a list.
public struct ImportView: View {
    let verdicts: [ImportVerdict]
    private let truncated: String?

    /// - Parameter truncated: the name of the list if it is cut off.
    public init(_ verdicts: [ImportVerdict], truncated: String? = nil) {
        self.verdicts = verdicts
        self.truncated = truncated
    }

    public var added: [PodcastID] { verdicts.filter { $0.kind == .added }.compactMap { $0.podcast?.id } }

    public var podcastIDs: [PodcastID] { verdicts.compactMap { $0.podcast?.id } }

    public func lines(for display: Display) -> [String] {
        var table = Table([.init("OUTCOME"), .init("ID"), .init("TITLE", minimum: 16, isName: true), .init("FEED", minimum: 16)])
        table.rows = verdicts.compactMap { verdict in
            verdict.podcast.map { podcast in
                [
                    .init(verdict.kind.rawValue, style: verdict.kind == .added ? .new : .dim), .init(display.shown(podcast.id)),
                    .init(podcast.displayTitle), .init(podcast.feedURL),
                ]
            }
        }
        return table.lines(for: display)
    }

    public func jsonLines(_ emit: (String) -> Void) {
        for verdict in verdicts { emit(jsonLine(Row(verdict: verdict))) }
    }

    private struct Row: Fields {
        let verdict: ImportVerdict

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.text("outcome", verdict.podcast == nil ? "failed" : verdict.kind.rawValue)
            visitor.text("id", verdict.podcast?.id.text)
            visitor.text("title", verdict.podcast?.displayTitle ?? verdict.outline.title)
            visitor.text("feedURL", verdict.podcast?.feedURL ?? FeedURL.parse(verdict.outline.feedURL)?.url)
            visitor.texts("tags", verdict.podcast?.settings.tags ?? verdict.outline.folders)
        }
    }

    public var failures: [FailureLine] {
        rejected
            + [truncated].compactMap { name in
                name.map { FailureLine($0, "the list is cut off; anything after that is missing", status: .badData) }
            }
    }

    private var rejected: [FailureLine] {
        verdicts.compactMap { verdict in
            let address = verdict.outline.feedURL
            let name = verdict.outline.title ?? (address.isEmpty ? "an outline without a title" : address)
            switch verdict.kind {
            case .added, .existing: return nil
            case .badURL: return FailureLine(name, "no feed URL jimmy can fetch", status: .badData)
            case .localFile:
                return FailureLine(
                    name, "a file on this computer; a list may only name URLs", status: .badData,
                    advice: "'jimmy subscribe FILE' accepts it")
            case .directoryPage:
                return FailureLine(
                    name, "a page of a podcast directory, not a feed", status: .badData,
                    advice: "'jimmy subscribe \(verdict.outline.feedURL)' finds its feed")
            }
        }
    }

    public var summary: String {
        let existing = verdicts.count { $0.kind == .existing }
        let parts = [
            "\(grouped(added.count)) added", "\(grouped(existing)) already subscribed",
            rejected.isEmpty ? nil : "\(grouped(rejected.count)) failed",
        ]
        return parts.compactMap { $0 }.joined(separator: ", ") + "."
    }

    public var status: ExitStatus {
        if failures.isEmpty { return .done }
        return rejected.count == verdicts.count ? .badData : .incomplete
    }
}

/// The subscriptions as an OPML list, tags as folders. Source: http://opml.org/spec2.opml
public struct OPMLDocument {
    public let text: String

    /// The note if feed URLs are as good as passwords.
    public static func secretURLs(_ podcasts: [Podcast]) -> String {
        let count = podcasts.count == 1 ? "1 feed URL contains what looks" : "\(podcasts.count) feed URLs contain what look"
        return "\(count) like a private key, such as that of \(podcasts[0].displayTitle.oneLine); do not publish the list."
    }

    public init(_ podcasts: [Podcast], withSecrets: Bool = false) {
        var root = Folder()
        for podcast in podcasts { root.add(Self.outline(podcast, withSecrets), to: podcast.settings.tags[...]) }
        text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <opml version="2.0">
              <head>
                <title>Podcasts</title>
              </head>
              <body>
            \(root.lines(depth: 2).joined(separator: "\n"))
              </body>
            </opml>

            """
    }

    private static func outline(_ podcast: Podcast, _ withSecrets: Bool) -> String {
        var url = podcast.feedURL
        if withSecrets, let secret = podcast.credentials, let colon = url.firstIndex(of: ":") {
            let user = secret.user.userInfoEscaped, password = secret.password.userInfoEscaped
            url = "\(url[..<colon])://\(user):\(password)@\(url[colon...].dropFirst(3))"
        }
        let title = podcast.displayTitle.xmlEscaped
        return "<outline type=\"rss\" text=\"\(title)\" title=\"\(title)\" xmlUrl=\"\(url.xmlEscaped)\"/>"
    }

    private struct Folder {
        var folders: [(name: String, folder: Folder)] = []
        var outlines: [String] = []

        mutating func add(_ outline: String, to path: ArraySlice<String>) {
            guard let name = path.first else { return outlines.append(outline) }
            if let index = folders.firstIndex(where: { $0.name == name }) {
                folders[index].folder.add(outline, to: path.dropFirst())
            } else {
                var folder = Folder()
                folder.add(outline, to: path.dropFirst())
                folders.append((name, folder))
            }
        }

        func lines(depth: Int) -> [String] {
            let indent = String(repeating: "  ", count: depth)
            return folders.flatMap { name, folder in
                ["\(indent)<outline text=\"\(name.xmlEscaped)\">"] + folder.lines(depth: depth + 1) + ["\(indent)</outline>"]
            } + outlines.map { indent + $0 }
        }
    }
}

extension String {
    /// For the part of a URL before the `@`. Source: RFC 3986, unreserved characters.
    fileprivate var userInfoEscaped: String {
        var result = ""
        for byte in utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                result += "%" + (digits.utf8.count == 1 ? "0" : "") + digits
            }
        }
        return result
    }
}
