/// Why a library in a database could not be read or written. Reasons are the database's own words, without passwords.
public enum DatabaseFailure: Error, Equatable, Sendable {
    /// The address cannot be understood.
    case badAddress
    /// The database exists but holds no library.
    case absent
    /// It holds an unfinished copy of another library.
    case unfinishedCopy
    /// The server cannot be reached, or was lost.
    case unreachable(reason: String)
    /// A wrong password, or missing rights.
    case denied(reason: String)
    /// The server refused a statement.
    ///
    /// - Parameter code: SQLSTATE, PostgreSQL's appendix A.
    case failed(code: String, reason: String)

    /// True if the server is unreachable, so that no attempt can succeed.
    package var isAbsence: Bool { if case .unreachable = self { true } else { false } }
}
