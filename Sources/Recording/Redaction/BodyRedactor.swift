import Domain
import Glibc

/// Replaces known secrets in a body that arrives in pieces.
struct BodyRedactor {
    private let secrets: [(bytes: [UInt8], mark: [UInt8])]
    /// Bytes at the end of what came that may be the beginning of a secret.
    private var kept: [UInt8] = []
    private let longest: Int

    init(_ secrets: Set<String>, _ redactor: Redactor, in units: CodeUnits = .bytes) {
        self.secrets = secrets.sorted { $0.utf8.count > $1.utf8.count }.map {
            (units.encoded($0), units.encoded(redactor.mark(for: $0)))
        }
        longest = self.secrets.first?.bytes.count ?? 0
    }

    /// - Returns: what is certain by now.
    mutating func add(_ piece: [UInt8]) -> [UInt8] {
        let bytes = kept + piece
        let (redacted, end) = replaced(bytes, upTo: max(0, bytes.count - max(0, longest - 1)))
        kept = Array(bytes[end...])
        return redacted
    }

    mutating func finish() -> [UInt8] {
        defer { kept = [] }
        return replaced(kept, upTo: kept.count).bytes
    }

    /// - Returns: where it ended: at `limit`, or behind a secret that begins before it.
    private func replaced(_ bytes: [UInt8], upTo limit: Int) -> (bytes: [UInt8], end: Int) {
        var redacted: [UInt8] = []
        redacted.reserveCapacity(bytes.count)
        var start = 0
        while start < limit {
            guard let (place, secret) = first(in: bytes, from: start), place < limit else {
                redacted += bytes[start..<limit]
                return (redacted, limit)
            }
            redacted += bytes[start..<place]
            redacted += secret.mark
            start = place + secret.bytes.count
        }
        return (redacted, start)
    }

    private func first(in bytes: [UInt8], from start: Int) -> (Int, (bytes: [UInt8], mark: [UInt8]))? {
        var first: (place: Int, secret: (bytes: [UInt8], mark: [UInt8]))?
        for secret in secrets {
            guard let place = bytes.place(of: secret.bytes, from: start, before: first?.place ?? bytes.count) else { continue }
            first = (place, secret)
        }
        return first
    }
}

extension [UInt8] {
    /// Where `wanted` stands first, from `start` on and beginning before `end`. The standard library's search takes longer
    /// than all else that a recording costs.
    func place(of wanted: [UInt8], from start: Int = 0, before end: Int? = nil) -> Int? {
        withUnsafeBytes { bytes in
            wanted.withUnsafeBytes { wanted in
                guard let base = bytes.baseAddress, let letters = wanted.baseAddress, let initial = wanted.first else {
                    return nil
                }
                let end = Swift.min(end ?? bytes.count, bytes.count - wanted.count + 1)
                var place = start
                while place < end, let found = memchr(base + place, Int32(initial), end - place) {
                    place = UnsafeRawPointer(found) - base
                    if memcmp(found, letters, wanted.count) == 0 { return place }
                    place += 1
                }
                return nil
            }
        }
    }
}
