import CPassword
import Composition
import Glibc
import Presentation

/// The owner's password: a yescrypt hash in a file that only the owner can read.
struct PasswordFile: Sendable {
    let path = Environment.folder("XDG_CONFIG_HOME", ".config") + "/serve.password"

    var isSet: Bool { access(path, F_OK) == 0 }

    /// Compares a password; takes equally long for a wrong one.
    func fits(_ password: String) -> Bool {
        guard let hash = try? UserFile(path).read(), let text = String(validating: hash, as: UTF8.self) else { return false }
        return password_fits(password, text.filter { !$0.isNewline })
    }

    /// - Throws: `FailureLine`.
    func store(_ password: String) throws {
        var hash = [CChar](repeating: 0, count: Int(PASSWORD_HASH_SIZE))
        guard password_hash(password, &hash) else {
            throw FailureLine(
                "password", "this machine has no libcrypt", status: .diskFailed, advice: "install the package libcrypt1")
        }
        let bytes = hash.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        makeFolders(above: path)
        try UserFile(path).replace(with: bytes + [UInt8(ascii: "\n")])
    }

    /// Asks for a new password, on the terminal or on standard input.
    ///
    /// - Throws: `FailureLine`, `CancellationError`.
    func ask() throws {
        guard let first = try readHiddenLine(asking: "New password: "), first.utf8.count >= 8, !first.utf8.contains(0) else {
            throw FailureLine("password", "too short; at least 8 characters are needed", status: .usage)
        }
        if isatty(STDIN_FILENO) == 1, try readHiddenLine(asking: "Again: ") != first {
            throw FailureLine("password", "the two passwords differ", status: .usage)
        }
        try store(first)
        try SessionFile().remove()
    }

    /// - Throws: `FailureLine`.
    func remove() throws {
        guard unlink(path) == 0 || errno == ENOENT else { throw FailureLine(writing: path, errno: errno) }
        try SessionFile().remove()
    }
}

/// Creates the folders above one of our files. A failure is ignored here: opening the file reports it.
func makeFolders(above path: String) {
    for slash in path.indices.dropFirst() where path[slash] == "/" { mkdir(String(path[..<slash]), 0o700) }
}
