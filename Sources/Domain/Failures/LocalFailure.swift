/// Why the system could not give what a run needs: no fault of a server, of the network or of the library.
public enum SystemFailure: Error, Equatable, Sendable {
    /// A shared library that is loaded when first needed. `errno` is 0 if the system does not say why.
    case missingLibrary(name: String, errno: Int32)
    /// A call that gets a thread, a socket or memory.
    case call(String, errno: Int32)
}

/// A failure of this machine, which concerns the whole run and not one feed.
public enum LocalFailure: Error, Equatable, Sendable {
    case storage(LibraryFailure)
    case system(SystemFailure)
    case database(DatabaseFailure)

    /// nil if the error is a server's or the network's.
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
