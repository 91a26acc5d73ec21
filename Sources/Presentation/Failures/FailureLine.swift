import Glibc

/// One error as people read it: `jimmy: what failed: why`, and what to do where something can be done.
public struct FailureLine: Error, Sendable {
    public var what: String
    public var why: String
    public var status: ExitStatus
    /// What to do about it, a sentence without its full stop.
    public var advice: String?
    /// Further lines, such as the candidates of an ambiguous name.
    public var details: [String]

    public init(
        _ what: String, _ why: String, status: ExitStatus, advice: String? = nil, details: [String] = []
    ) {
        self.what = what
        self.why = why
        self.status = status
        self.advice = advice
        self.details = details
    }

    public var lines: [String] {
        let join = why.hasSuffix("?") ? " " : "; "
        let advice = advice.map { join + $0.oneLine } ?? ""
        return ["jimmy: \(what.oneLine): \(why.oneLine)\(advice)"] + details.map { "  " + $0.printable }
    }

    /// Results that could not be printed: standard output is closed, or its disk is full.
    public static func unprintable(errno: Int32) -> FailureLine {
        FailureLine("standard output", systemWords(errno), status: .diskFailed)
    }

    /// A file of the user's that could not be read or written.
    public init(_ file: String, errno number: Int32, ifOther status: ExitStatus) {
        let refused = number == EACCES || number == EPERM || number == EROFS
        let isMissing = number == ENOENT || number == ENOTDIR || number == EISDIR
        self.init(file, systemWords(number), status: refused ? .noPermission : isMissing ? .notFound : status)
    }
}
