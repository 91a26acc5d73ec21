internal import Domain

/// Reads the body of one successful response, whichever wire delivers its pieces.
struct BodyReading {
    private let request: FetchRequest
    private let memory: HeldMemory
    private var head: ResponseHead
    private var reader: BodyReader?
    private var decodedSize = 0
    /// Why the body could not be read; nil if the receiver refused it.
    private(set) var failure: FetchFailure?

    init(of url: String, _ request: FetchRequest, holdingIn memory: HeldMemory) {
        self.request = request
        self.memory = memory
        head = ResponseHead(url: url, headers: ResponseHeaders())
    }

    mutating func read(_ piece: WirePiece, _ wire: WireHead, _ receive: (ResponseHead, [UInt8]) throws -> Void) throws {
        switch piece {
        case .sent(let bytes):
            do {
                var current = try take(wire)
                defer { reader = current }
                try current.read(bytes) { piece in
                    do { try receive(head, piece) } catch { throw Refusal(error: error) }
                }
            } catch {
                throw noted(error)
            }
        case .decoded(let bytes):
            head.headers = wire.headers
            decodedSize += bytes.count
            if decodedSize > request.limits.maxBodySize {
                throw FetchFailure(.tooLarge, detail: .largerThan(bytes: request.limits.maxBodySize))
            }
            try receive(head, bytes)
        }
    }

    /// Ends a complete body.
    mutating func finish(_ wire: WireHead, _ receive: (ResponseHead, [UInt8]) throws -> Void) throws -> WireBody {
        do {
            var current = try take(wire)
            let isSame = try current.finish { piece in
                do { try receive(head, piece) } catch { throw Refusal(error: error) }
            }
            return WireBody(hash: current.hash, size: current.size, isSame: isSame)
        } catch {
            throw noted(error)
        }
    }

    /// The receiver refused the body.
    private struct Refusal: Error {
        let error: any Error
    }

    private mutating func noted(_ error: any Error) -> any Error {
        if let refusal = error as? Refusal { return refusal.error }
        failure = error as? FetchFailure
        return error
    }

    /// Takes the reader out as its only owner, so that nothing is copied.
    private mutating func take(_ wire: WireHead) throws(FetchFailure) -> BodyReader {
        defer { reader = nil }
        return if let reader { reader } else { try begin(wire) }
    }

    private mutating func begin(_ wire: WireHead) throws(FetchFailure) -> BodyReader {
        if wire.hasConflictingLengths {
            throw FetchFailure(.protocol, status: wire.status, detail: .conflictingLengths)
        }
        head.headers = wire.headers
        // Another success than a part that was asked for is the whole body.
        head.status = request.media.map { $0.first > 0 } ?? false ? wire.status : 200
        head.contentLength = wire.contentEncoding == nil ? wire.contentLength.flatMap { Int($0) } : nil
        return BodyReader(
            contentEncoding: wire.contentEncoding, lastHash: request.lastBodyHash, limit: request.limits.maxBodySize,
            holdingIn: memory, isMedia: request.media != nil)
    }
}
