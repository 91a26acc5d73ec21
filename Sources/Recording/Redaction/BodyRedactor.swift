import Domain
import Glibc

/// Replaces known secrets in a body that arrives in pieces.
struct BodyRedactor {
    private let secrets: [(bytes: [UInt8], mark: [UInt8])]
    /// Bytes at the end of the input so far that may be the beginning of a secret.
    private var pending: [UInt8] = []
    private let longest: Int

    init(_ secrets: Set<String>, _ redactor: Redactor, in units: CodeUnits = .bytes) {
        self.secrets = secrets.sorted { $0.utf8.count > $1.utf8.count }.map {
            (units.encoded($0), units.encoded(redactor.mark(for: $0)))
        }
        longest = self.secrets.first?.bytes.count ?? 0
    }

    /// - Returns: the redacted bytes that no later input can change.
    mutating func add(_ piece: [UInt8]) -> [UInt8] {
        let bytes = pending + piece
        let (redacted, end) = replaced(bytes, upTo: max(0, bytes.count - max(0, longest - 1)))
        pending = Array(bytes[end...])
        return redacted
    }

    mutating func finish() -> [UInt8] {
        defer { pending = [] }
        return replaced(pending, upTo: pending.count).bytes
    }

    /// - Returns: the redacted bytes and where they end in the input: at `limit`, or after a secret that begins before
    ///   it.
    private func replaced(_ bytes: [UInt8], upTo limit: Int) -> (bytes: [UInt8], end: Int) {
        var redacted: [UInt8] = []
        redacted.reserveCapacity(bytes.count)
        var start = 0
        while start < limit {
            guard let (offset, secret) = first(in: bytes, from: start), offset < limit else {
                redacted += bytes[start..<limit]
                return (redacted, limit)
            }
            redacted += bytes[start..<offset]
            redacted += secret.mark
            start = offset + secret.bytes.count
        }
        return (redacted, start)
    }

    private func first(in bytes: [UInt8], from start: Int) -> (Int, (bytes: [UInt8], mark: [UInt8]))? {
        var first: (offset: Int, secret: (bytes: [UInt8], mark: [UInt8]))?
        for secret in secrets {
            guard let offset = bytes.firstOffset(of: secret.bytes, from: start, before: first?.offset ?? bytes.count) else {
                continue
            }
            first = (offset, secret)
        }
        return first
    }
}

extension [UInt8] {
    /// Offset of the first occurrence of `wanted` that begins at `start` or later and before `end`. The standard library's
    /// search takes longer than everything else that a recording costs.
    func firstOffset(of wanted: [UInt8], from start: Int = 0, before end: Int? = nil) -> Int? {
        withUnsafeBytes { bytes in
            wanted.withUnsafeBytes { wanted in
                guard let base = bytes.baseAddress, let letters = wanted.baseAddress, let initial = wanted.first else {
                    return nil
                }
                let end = Swift.min(end ?? bytes.count, bytes.count - wanted.count + 1)
                var offset = start
                while offset < end, let match = memchr(base + offset, Int32(initial), end - offset) {
                    offset = UnsafeRawPointer(match) - base
                    if memcmp(match, letters, wanted.count) == 0 { return offset }
                    offset += 1
                }
                return nil
            }
        }
    }
}
