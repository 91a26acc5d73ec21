/// Why a library in a database could not be read or written. Reasons are the database's own words, without passwords.
public enum DatabaseFailure: Error, Equatable, Sendable {
    /// The address cannot be understood.
    case badAddress
    /// There is a database, but no library in it.
    case absent
    /// A copy of another library into it was not finished.
    case unfinishedCopy
    /// The server cannot be reached, or was lost.
    case unreachable(reason: String)
    /// A wrong password, or missing rights.
    case denied(reason: String)
    /// The server refused a statement.
    ///
    /// - Parameter code: SQLSTATE, PostgreSQL's appendix A.
    case failed(code: String, reason: String)

    /// The server is away, and nothing can be done.
    var isAbsence: Bool { if case .unreachable = self { true } else { false } }
}
