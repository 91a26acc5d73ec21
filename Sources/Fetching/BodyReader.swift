internal import Domain

/// Reads a body as it was sent: hashes it, decodes its content encodings and enforces the size limit.
///
/// If the hash of the last body is given, encoded bytes are held back, and a body with the same hash is never decoded.
/// Without memory for them it is decoded as it arrives: decoded and parsed it takes several times as much.
struct BodyReader {
    /// Most encodings that a server may declare.
    private static let maxLayers = 4

    private let lastHash: UInt64?
    private let limit: Int

    private let isMedia: Bool
    private var hasher = XXH64()
    private var held: HeldBody?
    /// Outermost encoding first. The last layer is for an encoding that the server did not declare.
    private var layers: [Layer]
    private var decodedSize = 0
    private(set) var size = 0

    var hash: UInt64 { hasher.finish() }

    /// - Parameters:
    ///   - memory: for encoded bytes that are held back.
    ///   - isMedia: true for a media file, which is not hashed. Only declared encodings are decoded, because a piece of a
    ///     file may look like any of them.
    init(contentEncoding: String?, lastHash: UInt64?, limit: Int, holdingIn memory: HeldMemory, isMedia: Bool = false) {
        let words = (contentEncoding ?? "").split { $0 == "," || $0 == " " || $0 == "\t" }.map { $0.lowercased() }
        let declared = words.filter { $0 != "identity" && $0 != "none" }.prefix(BodyReader.maxLayers)
        layers = declared.reversed().map { .unread(declared: $0) } + (isMedia ? [] : [.unread(declared: nil)])
        self.isMedia = isMedia
        self.lastHash = lastHash
        self.limit = limit
        held = lastHash == nil ? nil : HeldBody(in: memory)
    }

    mutating func read(_ bytes: [UInt8], receive: ([UInt8]) throws -> Void) throws {
        size += bytes.count
        // Media files are compared by their validators.
        if !isMedia { hasher.update(bytes) }
        if let held, held.add(bytes) { return }
        try release(receive)
        try decode(bytes, from: 0, receive)
    }

    /// Ends a complete body.
    ///
    /// - Returns: true if it has the hash of the last body; then nothing was passed to `receive`.
    mutating func finish(receive: ([UInt8]) throws -> Void) throws -> Bool {
        if held != nil {
            if hash == lastHash { return true }
            try release(receive)
        }
        for case .encoded(let decoder) in layers where !decoder.isComplete {
            throw FetchFailure(.protocol, detail: .cutOffEncoding(decoder.encoding.rawValue))
        }
        return false
    }

    private mutating func release(_ receive: ([UInt8]) throws -> Void) throws {
        guard let pieces = held?.pieces else { return }
        held = nil
        for piece in pieces { try decode(piece, from: 0, receive) }
    }

    private mutating func decode(_ bytes: [UInt8], from index: Int, _ receive: ([UInt8]) throws -> Void) throws {
        guard index < layers.count else {
            decodedSize += bytes.count
            if decodedSize > limit { throw FetchFailure(.tooLarge, detail: .largerThan(bytes: limit)) }
            return try receive(bytes)
        }
        if case .unread(let declared) = layers[index] { layers[index] = try Layer(declared, beginning: bytes) }
        guard case .encoded(let decoder) = layers[index] else { return try decode(bytes, from: index + 1, receive) }
        try decoder.decode(bytes) { try decode($0, from: index + 1, receive) }
    }
}

/// One encoding around a body. It is detected from the first bytes instead of the server's declaration: servers declare
/// gzip and send plain text, declare it twice, compress compressed files, and send `.gz` files undeclared.
private enum Layer {
    case unread(declared: String?)
    case plain
    case encoded(ContentDecoder)

    /// - Throws: `FetchFailure` if the encoding is unknown.
    init(_ declared: String?, beginning bytes: [UInt8]) throws(FetchFailure) {
        let encoding = declared.flatMap { ContentDecoder.Encoding(name: $0) }
        if let shown = ContentDecoder.Encoding(magicOf: bytes) {
            self = .encoded(try ContentDecoder(shown))
        } else if declared == nil || encoding == .gzip && !ContentDecoder.Encoding.isZlib(bytes) || Layer.isText(bytes) {
            self = .plain
        } else if let encoding {
            self = .encoded(try ContentDecoder(encoding == .gzip ? .deflate : encoding))
        } else {
            throw FetchFailure(.protocol, detail: .unknownEncoding)
        }
    }

    /// True for markup or JSON. No compressed stream begins with eight such bytes.
    private static func isText(_ bytes: [UInt8]) -> Bool {
        let isUTF16 = bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
        if isUTF16 { return bytes.prefix(8).contains(UInt8(ascii: "<")) }
        let text = bytes.drop { [0xEF, 0xBB, 0xBF, 9, 10, 13, 32].contains($0) }
        guard text.first == UInt8(ascii: "<") || text.first == UInt8(ascii: "{") else { return false }
        return text.prefix(8).allSatisfy { (32...126).contains($0) || (9...13).contains($0) }
    }
}
