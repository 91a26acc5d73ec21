/// The exit code of a run. Source: the table in `jimmy help exit-codes`.
public enum ExitStatus: Int32, Sendable {
    case done = 0
    /// Done, but something asked for was not found, or `--strict` and a feed failed.
    case incomplete = 1
    case usage = 64
    case badData = 65
    case notFound = 66
    case unavailable = 69
    case diskFailed = 74
    case locked = 75
    case noPermission = 77
    case interrupted = 130
    case terminated = 143
}
