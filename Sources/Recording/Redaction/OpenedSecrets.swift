/// Puts back what marks stand for, as far as the library's key opens it.
struct OpenedSecrets: Sendable {
    private let secrets: [[UInt8]: [UInt8]]

    /// - Parameters:
    ///   - sealed: by mark.
    ///   - key: of the library that is replayed on; nil to leave marks as they are.
    init(_ sealed: [String: [UInt8]], _ key: RunKey?) {
        var secrets: [[UInt8]: [UInt8]] = [:]
        for (mark, sealed) in sealed {
            if let secret = key?.opened(sealed, mark: mark) { secrets[Array(mark.utf8)] = secret }
        }
        self.secrets = secrets
    }

    func restored(_ bytes: [UInt8]) -> [UInt8] {
        guard !secrets.isEmpty else { return bytes }
        var restored: [UInt8] = []
        var rest = bytes[...]
        while let place = rest.firstRange(of: RunKey.markPrefix.utf8) {
            let mark = rest[place.lowerBound...].prefix(RunKey.markLength)
            restored += rest[..<place.lowerBound]
            restored += secrets[Array(mark)] ?? Array(mark)
            rest = rest[mark.endIndex...]
        }
        return restored.isEmpty ? bytes : restored + rest
    }
}
