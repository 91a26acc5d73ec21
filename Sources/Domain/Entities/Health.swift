/// The state of a subscription in one word, so that its owner knows what to look at.
public enum Health: String, Sendable, CaseIterable {
    /// Answers normally.
    case fine
    /// The user paused it.
    case paused
    /// Subscribed with `--no-fetch`, and not fetched since.
    case unfetched
    /// Failing, but not for long.
    case failing
    /// Failing for weeks, or answered 410; unlikely to recover.
    case dead
    /// Asks for user and password, or refuses the given ones.
    case needsPassword
    /// Answers with something that is not a feed.
    case malformed
    /// Answers, but slowly.
    case slow
    /// Moved recently.
    case moved
    /// Answers, but has published nothing for a long time.
    case dormant

    /// True if its owner should do something.
    public var needsAttention: Bool {
        switch self {
        case .failing, .dead, .needsPassword, .malformed: true
        case .fine, .paused, .unfetched, .slow, .moved, .dormant: false
        }
    }
}
