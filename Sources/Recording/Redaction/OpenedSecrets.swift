/// Replaces marks by their meanings, if the library's key opens them.
struct OpenedSecrets: Sendable {
    private let secrets: [[UInt8]: [UInt8]]

    /// - Parameters:
    ///   - sealed: the sealed meanings by mark.
    ///   - key: the key of the library on which the run is replayed; nil to leave marks as they are.
    init(_ sealed: [String: [UInt8]], _ key: RunKey?) {
        var secrets: [[UInt8]: [UInt8]] = [:]
        for (mark, sealed) in sealed {
            if let secret = key?.opened(sealed, mark: mark) { secrets[Array(mark.utf8)] = secret }
        }
        self.secrets = secrets
    }

    /// Replaces marks in any of the encodings that they can be written in.
    func restored(_ bytes: [UInt8]) -> [UInt8] {
        secrets.isEmpty ? bytes : CodeUnits.allCases.reduce(bytes, restored)
    }

    private func restored(_ bytes: [UInt8], in units: CodeUnits) -> [UInt8] {
        let prefix = units.encoded(RunKey.markPrefix)
        let length = prefix.count / RunKey.markPrefix.utf8.count * RunKey.markLength
        var restored: [UInt8] = []
        var start = 0
        while let offset = bytes.firstOffset(of: prefix, from: start) {
            let mark = Array(bytes[offset...].prefix(length))
            restored += bytes[start..<offset]
            restored += secrets[units.utf8(mark)].map { units.encoded(String(decoding: $0, as: UTF8.self)) } ?? mark
            start = offset + mark.count
        }
        return start == 0 ? bytes : restored + bytes[start...]
    }
}
