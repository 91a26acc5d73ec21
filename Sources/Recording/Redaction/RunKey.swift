internal import CDigest
import Domain

/// Computed from a library's state before a run: a digest that names it, and the key that seals secrets.
///
/// The key is in no recording. Anybody who has the library or a copy can compute it; nobody else can.
public struct RunKey: Sendable {
    /// In hex.
    public let digest: String
    let key: [UInt8]

    /// - Parameter identity: passes on bytes that identify the library's state, with or without users and passwords.
    /// - Throws: `RecordingFailure`; what `identity` throws.
    public init(_ identity: (_ includingSecrets: Bool, (RawSpan) throws -> Void) throws -> Void) throws {
        digest = Self.hex(try Self.sum("jimmy library", identity, includingSecrets: false).prefix(16))
        key = try Self.sum("jimmy recording's key", identity, includingSecrets: true)
    }

    private static func sum(
        _ purpose: String, _ identity: (Bool, (RawSpan) throws -> Void) throws -> Void, includingSecrets: Bool
    ) throws -> [UInt8] {
        let sum = try SHA256()
        sum.add(Array(purpose.utf8) + [0])
        try identity(includingSecrets) { sum.add($0) }
        return sum.finish()
    }

    // MARK: Marks

    static let markPrefix = "redacted-"
    static let markLength = markPrefix.utf8.count + 16

    func mark(for secret: [UInt8]) -> String { Self.markPrefix + Self.hex(keyed("mark", secret).prefix(8)) }

    /// Encrypts or decrypts a secret with the key.
    func sealed(_ secret: [UInt8], mark: String) -> [UInt8] {
        var sealed = secret
        for start in stride(from: 0, to: secret.count, by: 32) {
            let pad = keyed("seal \(start)", Array(mark.utf8))
            guard pad.count == 32 else { return [] }
            for (index, byte) in zip(start..<secret.count, pad) { sealed[index] ^= byte }
        }
        return sealed
    }

    /// nil if the secret was sealed under another key.
    func opened(_ sealed: [UInt8], mark: String) -> [UInt8]? {
        let secret = self.sealed(sealed, mark: mark)
        return self.mark(for: secret) == mark ? secret : nil
    }

    /// A keyed hash, with the key before the inner and the outer input (RFC 2104 without its paddings).
    private func keyed(_ purpose: String, _ bytes: [UInt8]) -> [UInt8] {
        guard let inner = try? SHA256(), let outer = try? SHA256() else { return [] }
        inner.add(key + Array(purpose.utf8) + [0])
        inner.add(bytes)
        outer.add(key)
        outer.add(inner.finish())
        return outer.finish()
    }

    static func bytes(hex text: String) -> [UInt8] {
        let digits = text.utf8.compactMap { hexValue($0) }
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    private static func hexValue(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 48...57: digit - 48
        case 97...102: digit - 87
        default: nil
        }
    }

    static func hex(_ bytes: some Collection<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

/// SHA-256 by libcrypto.
final class SHA256 {
    private let pointer: OpaquePointer

    /// - Throws: `RecordingFailure` if libcrypto is missing.
    init() throws(RecordingFailure) {
        guard let pointer = digest_new("SHA256") else { throw .missingLibrary(name: "libcrypto.so.3") }
        self.pointer = pointer
    }

    deinit { digest_free(pointer) }

    func add(_ bytes: RawSpan) { bytes.withUnsafeBytes { _ = digest_add(pointer, $0.baseAddress, $0.count) } }
    func add(_ bytes: [UInt8]) { add(bytes.span.bytes) }

    /// 32 bytes; nothing can be added after it.
    func finish() -> [UInt8] {
        var sum = [UInt8](repeating: 0, count: Int(DIGEST_MAX_SIZE))
        let count = Int(digest_finish(pointer, &sum))
        return Array(sum[..<count])
    }
}
