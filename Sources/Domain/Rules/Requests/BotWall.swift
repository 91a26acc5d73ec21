/// Decides when a service's mark in a response means that it took this program for a robot. Some services mark every
/// response, successes and missing pages too.
public enum BotWall {
    /// Statuses of challenges and blocks: Cloudflare and DataDome answer 403, AWS WAF 403 or 405, rate limits 429 or 503.
    private static let statuses: Set<Int> = [401, 403, 405, 406, 429, 503]

    /// The wall that refused a request; nil if something else did.
    public static func refusal(status: Int, _ headers: ResponseHeaders) -> FetchFailure.Detail? {
        statuses.contains(status) ? headers.botWall.map { .botWall($0) } : nil
    }

    /// The wall that sent something else than what was requested, with a success. The caller knows that it is not a feed.
    public static func challenge(_ headers: ResponseHeaders) -> FetchFailure.Detail? {
        headers.botWall.map { .botWall($0) }
    }
}
