internal import Domain

/// Takes a body as it was sent: hashes it, undoes its content encodings and keeps to the size limit.
///
/// Where the hash of the last body is known, the bytes are held back as they are, and a body that turns out to be the
/// same is never decoded; one that grows too large to be held is decoded all the same.
struct BodyReader {
    private static let heldLimit = 1 << 20

    private let encodings: [ContentDecoder.Encoding]
    private let knownHash: UInt64?
    private let limit: Int

    private var hasher = XXH64()
    private var held: [[UInt8]]?
    /// Outermost encoding first; nil before the first byte.
    private var decoders: [ContentDecoder]?
    private var decodedSize = 0
    private(set) var size = 0

    var hash: UInt64 { hasher.finish() }

    /// - Throws: `FetchFailure` for an encoding that was not asked for.
    init(contentEncoding: String?, knownHash: UInt64?, limit: Int) throws(FetchFailure) {
        var encodings = [ContentDecoder.Encoding]()
        for word in (contentEncoding ?? "").split(whereSeparator: { $0 == "," || $0 == " " || $0 == "\t" }) {
            if ["identity", "none", "utf-8"].contains(word.lowercased()) { continue }
            guard let encoding = ContentDecoder.Encoding(name: word), encodings.count < 4 else {
                throw FetchFailure(.protocol, detail: "unknown content encoding")
            }
            encodings.insert(encoding, at: 0)
        }
        self.encodings = encodings
        self.knownHash = knownHash
        self.limit = limit
        held = knownHash == nil ? nil : []
    }

    mutating func read(_ bytes: [UInt8], receive: ([UInt8]) throws -> Void) throws {
        size += bytes.count
        hasher.update(bytes)
        guard held != nil else { return try decode(bytes, receive) }
        held?.append(bytes)
        if size > BodyReader.heldLimit { try release(receive) }
    }

    /// The body has ended as it should. Returns whether it is the known one, so that nothing was handed on.
    mutating func finish(receive: ([UInt8]) throws -> Void) throws -> Bool {
        if held != nil {
            if hash == knownHash { return true }
            try release(receive)
        }
        if let cut = decoders?.first(where: { !$0.isComplete }) {
            throw FetchFailure(.protocol, detail: "\(cut.encoding.rawValue) that was cut off")
        }
        return false
    }

    private mutating func release(_ receive: ([UInt8]) throws -> Void) throws {
        let pieces = held ?? []
        held = nil
        for piece in pieces { try decode(piece, receive) }
    }

    private mutating func decode(_ bytes: [UInt8], _ receive: ([UInt8]) throws -> Void) throws {
        let chain = try decoders ?? makeDecoders(for: bytes)
        decoders = chain
        try decode(bytes, chain[...], receive)
    }

    private mutating func decode(
        _ bytes: [UInt8], _ chain: ArraySlice<ContentDecoder>, _ receive: ([UInt8]) throws -> Void
    ) throws {
        guard let first = chain.first else {
            decodedSize += bytes.count
            if decodedSize > limit { throw FetchFailure(.tooLarge, detail: "more than \(limit) bytes") }
            return try receive(bytes)
        }
        try first.decode(bytes) { try decode($0, chain.dropFirst(), receive) }
    }

    /// Servers say gzip and send plain text, and send files that end in .gz and say nothing: the first bytes tell.
    private func makeDecoders(for bytes: [UInt8]) throws -> [ContentDecoder] {
        let isGzip = bytes.starts(with: [0x1F, 0x8B])
        if encodings.isEmpty { return isGzip ? [try ContentDecoder(.gzip)] : [] }
        if encodings == [.gzip], !isGzip { return [] }
        return try encodings.map { try ContentDecoder($0) }
    }
}
