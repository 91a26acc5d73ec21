internal import Domain
import JSON

/// A result in its two forms: for people (and plain for pipes), and as JSON.
public protocol View: Sendable {
    func lines(for display: Display) -> [String]
    /// One object a line, in the order of the text.
    func jsonLines(_ emit: (String) -> Void)
}

/// One value as one line of JSON.
func jsonLine(_ fields: some Fields) -> String {
    var json = JSONWriter()
    json.value(fields)
    return json.text
}
