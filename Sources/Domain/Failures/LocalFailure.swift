/// A failure of the operating system, as opposed to one of a server, the network or the library.
public enum SystemFailure: Error, Equatable, Sendable {
    /// A shared library that is loaded on demand is missing. `errno` is 0 if the system gives none.
    case missingLibrary(name: String, errno: Int32)
    /// A call that allocates a thread, a socket or memory failed.
    case call(String, errno: Int32)
}

/// A failure of this machine, which affects the whole run instead of one feed.
public enum LocalFailure: Error, Equatable, Sendable {
    case storage(LibraryFailure)
    case system(SystemFailure)
    case database(DatabaseFailure)

    /// nil for an error of a server or of the network.
    public init?(_ error: any Error) {
        switch error {
        case let failure as LocalFailure: self = failure
        case let failure as LibraryFailure: self = .storage(failure)
        case let failure as SystemFailure: self = .system(failure)
        case let failure as DatabaseFailure: self = .database(failure)
        default: return nil
        }
    }
}
