import Domain
import Hummingbird

/// Which episodes of a podcast its page shows, and in which order.
struct PodcastChoice {
    private let text: String?
    private let show: String?
    let isOldestFirst: Bool

    private static let shows = [
        (value: "", name: "all", query: ""), (value: "unplayed", name: "unplayed", query: "-is:played"),
        (value: "new", name: "new", query: "is:new"), (value: "starred", name: "starred", query: "is:starred"),
        (value: "downloaded", name: "downloaded", query: "is:downloaded"),
    ]

    init(_ form: Form) {
        text = form["q"]
        show = Self.shows.first { $0.value == form["show"] }?.value
        isOldestFirst = form["sort"] == "oldest"
    }

    var query: String {
        let condition = Self.shows.first { $0.value == show }?.query ?? ""
        return [text ?? "", condition].filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// The address of the page, ready for one more field.
    func path(of podcast: PodcastID) -> String { address(podcast, show: show, isOldestFirst: isOldestFirst) }

    private func address(_ podcast: PodcastID, show: String?, isOldestFirst: Bool) -> String {
        var fields = ""
        if let text { fields += "q=\(Form.encoded(text))&" }
        if let show, !show.isEmpty { fields += "show=\(show)&" }
        if isOldestFirst { fields += "sort=oldest&" }
        return "/podcasts/\(podcast.text)?" + fields
    }

    func shows(of podcast: PodcastID) -> [Values] {
        Self.shows.map { value, name, _ in
            [
                "name": name, "isHere": value == show ?? "",
                "path": String(address(podcast, show: value, isOldestFirst: isOldestFirst).dropLast()),
            ]
        }
    }

    func orders(of podcast: PodcastID) -> [Values] {
        [("newest", false), ("oldest", true)].map { name, oldest in
            [
                "name": name, "isHere": oldest == isOldestFirst,
                "path": String(address(podcast, show: show, isOldestFirst: oldest).dropLast()),
            ]
        }
    }

    /// What a search in the podcast keeps.
    var hiddenFields: [Values] {
        var fields: [Values] = []
        if let show, !show.isEmpty { fields.append(["name": "show", "value": show]) }
        if isOldestFirst { fields.append(["name": "sort", "value": "oldest"]) }
        return fields
    }
}

/// `1.5`, `30`: without a needless fraction.
func plain(_ number: Double) -> String { Int(exactly: number).map(String.init) ?? String(number) }

extension Form {
    /// nil if the field is empty.
    ///
    /// - Throws: `HTTPError` for anything but a number in the range.
    func number(_ name: String, in range: ClosedRange<Double>) throws -> Double? {
        guard let text = self[name] else { return nil }
        guard let number = Double(text), range.contains(number) else {
            throw HTTPError(
                .badRequest,
                message:
                    "'\(text.prefix(80))' is not a valid number (from \(plain(range.lowerBound)) to \(plain(range.upperBound)))")
        }
        return number
    }
}
