public import Addresses

/// Decides which redirects are followed and which of them move a subscription.
public enum RedirectRule {
    /// The target of a redirect.
    ///
    /// - Parameters:
    ///   - current: the URL that answered.
    ///   - location: the Location header; nil if there was none.
    ///   - followed: the redirects before this one.
    ///   - answersDiffer: true if a URL that was already requested would now get other cookies.
    /// - Throws: `FetchFailure` with `.redirect` if it must not be followed: a missing or broken Location, a scheme
    ///   other than http and https, https to http, a URL already requested, or more than `limit` hops.
    public static func target(
        of status: Int, from current: WebURL, location: String?, followed: [Redirect], limit: Int,
        answersDiffer: (WebURL) -> Bool = { _ in false }
    ) throws(FetchFailure) -> WebURL {
        guard let location, !location.isEmpty else { throw refusal(status, .noLocation) }
        guard let target = current.resolving(location) else { throw refusal(status, .badLocation) }
        if current.scheme == "https", target.scheme == "http" { throw refusal(status, .fromHTTPSToHTTP) }
        if followed.count >= limit { throw refusal(status, .tooManyRedirects(limit: limit)) }
        let asked = followed.map(\.from) + [current.text]
        if asked.contains(target.text), !answersDiffer(target) { throw refusal(status, .redirectLoop) }
        return target
    }

    public static func isRedirect(_ status: Int) -> Bool { [301, 302, 303, 307, 308].contains(status) }

    private static func isPermanent(_ status: Int) -> Bool { status == 301 || status == 308 }

    /// The URL to store after these redirects: the end of the chain's permanent prefix; nil if the first is temporary.
    public static func movedURL(after redirects: [Redirect]) -> String? {
        redirects.prefix { isPermanent($0.status) }.last?.to
    }

    private static func refusal(_ status: Int, _ detail: FetchFailure.Detail) -> FetchFailure {
        FetchFailure(.redirect, status: status, detail: detail)
    }
}
