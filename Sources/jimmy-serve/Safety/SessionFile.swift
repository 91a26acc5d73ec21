import Composition
import Domain
import Glibc
import Presentation

/// A sign-in: of a browser for some weeks, of an app until it is withdrawn.
struct SignIn: Sendable, Hashable {
    enum Kind: String, Sendable {
        case browser, app
        /// A feed's address, which anybody who knows it can read.
        case feed
    }

    var digest: String
    var kind: Kind
    /// The owner's name for it.
    var name: String
    var since: Timestamp
    /// nil if it is valid until it is withdrawn.
    var until: Timestamp?
}

/// The sign-ins, one per line, in a file that only the owner can read. It contains digests, with which nobody can sign
/// in.
struct SessionFile: Sendable {
    let path = Environment.folder("XDG_STATE_HOME", ".local/state") + "/serve.sessions"

    /// nil if there is no file.
    var version: FileVersion? { FileVersion(of: path) }

    /// Skips malformed lines.
    func read() -> [SignIn] {
        guard version != nil, let bytes = try? UserFile(path).read() else { return [] }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard fields.count == 5, let kind = SignIn.Kind(rawValue: fields[1]), let since = Int64(fields[2]) else { return nil }
            return SignIn(
                digest: fields[0], kind: kind, name: fields[4], since: Timestamp(seconds: since),
                until: Int64(fields[3]).map { Timestamp(seconds: $0) })
        }
    }

    /// - Throws: `FailureLine`.
    func write(_ signIns: [SignIn]) throws {
        makeFolders(above: path)
        let lines = signIns.map { signIn in
            let until = signIn.until.map { String($0.seconds) } ?? ""
            return "\(signIn.digest)\t\(signIn.kind.rawValue)\t\(signIn.since.seconds)\t\(until)\t\(signIn.name.oneLine)\n"
        }
        try UserFile(path).replace(with: Array(lines.joined().utf8))
    }

    /// - Throws: `FailureLine`.
    func remove() throws {
        guard unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR else { throw FailureLine(writing: path, errno: errno) }
    }
}
