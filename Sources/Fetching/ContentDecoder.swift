internal import CDecoders
internal import Domain

/// Decodes one content encoding, piece by piece.
final class ContentDecoder {
    enum Encoding: String, CaseIterable {
        case gzip, deflate, br, zstd

        /// - Parameter name: in lower case.
        init?(name: String) {
            switch name {
            case "gzip", "x-gzip": self = .gzip
            case "deflate": self = .deflate
            case "br": self = .br
            case "zstd": self = .zstd
            default: return nil
            }
        }

        /// The encoding recognized by a body's first bytes.
        init?(magicOf bytes: [UInt8]) {
            if bytes.starts(with: [0x1F, 0x8B, 8]) {
                self = .gzip
            } else if bytes.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) {
                self = .zstd
            } else {
                return nil
            }
        }

        /// The header of a zlib stream (RFC 1950, 2.2): method 8, and a multiple of 31.
        static func isZlib(_ bytes: [UInt8]) -> Bool {
            bytes.count > 1 && bytes[0] & 15 == 8 && (Int(bytes[0]) << 8 | Int(bytes[1])) % 31 == 0
        }

        /// The decoders for it, fastest first. igzip takes a third of zlib's time but may not be installed.
        var kinds: [decoder_kind] {
            switch self {
            case .gzip: [DECODER_IGZIP, DECODER_GZIP]
            case .deflate: [DECODER_DEFLATE]
            case .br: [DECODER_BROTLI]
            case .zstd: [DECODER_ZSTD]
            }
        }

        /// True if this machine can decode it. zlib is checked first, since libcurl has already loaded it.
        var isSupported: Bool { kinds.reversed().contains(where: decoder_exists) }
    }

    private static let pieceSize = 64 << 10

    let encoding: Encoding
    private let pointer: OpaquePointer

    /// - Throws: `FetchFailure` if its library is missing.
    convenience init(_ encoding: Encoding) throws(FetchFailure) {
        try self.init(encoding, by: encoding.kinds.first(where: decoder_exists))
    }

    init(_ encoding: Encoding, by kind: decoder_kind?) throws(FetchFailure) {
        guard let kind, let pointer = decoder_new(kind) else {
            throw FetchFailure(.protocol, detail: .missingDecoder(encoding.rawValue))
        }
        self.encoding = encoding
        self.pointer = pointer
    }

    deinit { decoder_free(pointer) }

    /// Passes on the decoded bytes, at most 64 KB at a time.
    func decode(_ bytes: [UInt8], to output: ([UInt8]) throws -> Void) throws {
        var offset = 0
        while true {
            var taken = 0
            var result = DECODER_BROKEN
            let piece = [UInt8](unsafeUninitializedCapacity: ContentDecoder.pieceSize) { room, written in
                guard let start = room.baseAddress else { return }
                bytes.withUnsafeBufferPointer { input in
                    guard let source = input.baseAddress else { return }
                    result = decoder_run(pointer, source + offset, input.count - offset, &taken, start, room.count, &written)
                }
            }
            offset += taken
            if !piece.isEmpty { try output(piece) }
            if result == DECODER_BROKEN { throw FetchFailure(.protocol, detail: .brokenEncoding(encoding.rawValue)) }
            if result != DECODER_NEEDS_ROOM { return }
        }
    }

    /// True if the stream was complete when the input ended.
    var isComplete: Bool { decoder_is_complete(pointer) }
}
