import Glibc

/// One error for people: `jimmy: what failed: why`, and the next step if there is one.
public struct FailureLine: Error, Sendable {
    public var what: String
    public var why: String
    public var status: ExitStatus
    /// The next step, a sentence without a full stop.
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
        let what = what.oneLine.isEmpty ? "''" : what.oneLine.truncated(to: Self.maxWhatLength)
        let why = why.oneLine.truncated(to: Self.maxWhyLength)
        return ["jimmy: \(what): \(why)\(advice)".withoutSecrets] + details.map { "  " + $0.printable }
    }

    /// Columns. Errors repeat what was typed, which may be a whole page.
    private static let maxWhatLength = 300
    private static let maxWhyLength = 600

    /// Results that could not be printed because standard output is closed or its disk is full.
    public static func unprintable(errno: Int32) -> FailureLine {
        FailureLine("standard output", systemWords(errno), status: .diskFailed)
    }

    /// A user's file that could not be read.
    public init(reading file: String, errno number: Int32) {
        let isMissing = number == ENOENT || number == ENOTDIR || number == EISDIR
        self.init(file, number, otherwise: isMissing ? .notFound : .diskFailed)
    }

    /// A user's file that could not be written.
    public init(writing file: String, errno number: Int32) { self.init(file, number, otherwise: .diskFailed) }

    private init(_ file: String, _ number: Int32, otherwise status: ExitStatus) {
        let isRefused = number == EACCES || number == EPERM || number == EROFS
        self.init(file, systemWords(number), status: isRefused ? .noPermission : status)
    }
}
