/// Why a podcast cannot be edited as requested.
public enum EditFailure: Error, Sendable {
    case badURL(String)
    /// Another podcast has this URL.
    case taken(by: Podcast)
    /// Another process unsubscribed from it meanwhile.
    case gone
}
