import Domain

extension SearchQuery.Condition.Kind {
    /// nil if the condition does not exist or its value cannot be read.
    ///
    /// - Parameter now: the time that dates such as `7d` are relative to; without it they cannot be read.
    init?(name: String, value: String, now: Timestamp?) {
        switch name {
        case "after":
            guard let day = start(of: value, now) else { return nil }
            self = .after(day)
        case "before":
            guard let day = start(of: value, now) else { return nil }
            self = .before(day)
        case "added":
            guard let range = range(value, now) else { return nil }
            self = .added(from: range.from, to: range.to)
        case "longer":
            guard let seconds = seconds(value) else { return nil }
            self = .longer(than: seconds)
        case "shorter":
            guard let seconds = seconds(value) else { return nil }
            self = .shorter(than: seconds)
        case "season":
            guard let number = Int(value), number >= 0 else { return nil }
            self = .season(number)
        case "type":
            guard ["full", "trailer", "bonus"].contains(value) else { return nil }
            self = .type(value)
        default:
            switch (name, value) {
            case ("in", "queue"): self = .inQueue
            case ("is", "queued"): self = .inQueue
            case ("is", "withdrawn"): self = .isWithdrawn
            case ("is", _):
                guard let tag = Tag(value), Tag.meaningful.contains(tag) else { return nil }
                self = .tagged(tag)
            case ("has", "transcript"), ("has", "transcripts"): self = .hasTranscript
            case ("source", "published"): self = .hasSource(isHome: false)
            case ("source", "home"): self = .hasSource(isHome: true)
            case ("has", "mark"), ("has", "marks"): self = .marked(.any)
            case ("has", "chapter"), ("has", "chapters"): self = .hasChapters
            default: return nil
            }
        }
    }
}

private func start(of value: String, _ now: Timestamp?) -> Timestamp? {
    guard let date = QueryDate(value), now != nil || !date.isRelative else { return nil }
    return date.start(now ?? Timestamp(seconds: 0))
}

/// A date and everything later, or `A..B`, `A..`, `..B`. Each date includes its whole day, month or year.
private func range(_ value: String, _ now: Timestamp?) -> (from: Timestamp?, to: Timestamp?)? {
    func date(_ text: Substring) -> QueryDate? {
        QueryDate(String(text)).flatMap { now != nil || !$0.isRelative ? $0 : nil }
    }
    let now = now ?? Timestamp(seconds: 0)
    guard let dots = value.firstRange(of: "..") else { return date(value[...]).map { ($0.start(now), nil) } }
    let (first, last) = (value[..<dots.lowerBound], value[dots.upperBound...])
    guard !first.isEmpty || !last.isEmpty else { return nil }
    let (from, to) = (date(first)?.start(now), date(last)?.end(now))
    return (first.isEmpty || from != nil) && (last.isEmpty || to != nil) ? (from, to) : nil
}

/// `90m`, `1h30m`, `90min`, `2hours`, `45s`, `1:30:00`, or plain minutes: `90`.
private func seconds(_ text: String) -> Double? {
    if text.contains(":") {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
        guard (2...3).contains(parts.count) else { return nil }
        var total = 0
        for part in parts {
            guard let part, (0...999).contains(part) else { return nil }
            total = total * 60 + part
        }
        return Double(total)
    }
    if let minutes = number(text[...]) { return minutes * 60 }
    var remaining = text[...]
    var total = 0.0
    var last = Double.infinity
    while !remaining.isEmpty {
        let digits = remaining.prefix { $0.isNumber || $0 == "." }
        let unit = remaining.dropFirst(digits.count).prefix { !$0.isNumber }
        // Longer units come first, each at most once.
        guard let number = number(digits), let seconds = units[String(unit)], seconds < last else { return nil }
        total += number * seconds
        last = seconds
        remaining = remaining.dropFirst(digits.count + unit.count)
    }
    return last < .infinity ? total : nil
}

private func number(_ digits: Substring) -> Double? {
    digits.utf8.allSatisfy { (48...57).contains($0) || $0 == UInt8(ascii: ".") } ? Double(digits) : nil
}

private let units: [String: Double] = Dictionary(
    uniqueKeysWithValues: [
        (["h", "hr", "hrs", "hour", "hours"], 3_600), (["m", "min", "mins", "minute", "minutes"], 60),
        (["s", "sec", "secs", "second", "seconds"], 1),
    ].flatMap { names, seconds in names.map { ($0, seconds) } })
