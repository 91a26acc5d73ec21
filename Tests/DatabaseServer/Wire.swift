import Glibc

/// A message of PostgreSQL's protocol: a letter, its length, and its body.
struct Message {
    let type: Character
    let body: [UInt8]

    init(_ type: Character, _ body: [UInt8]) { (self.type, self.body) = (type, body) }

    static func length(of body: [UInt8]) -> [UInt8] {
        withUnsafeBytes(of: UInt32(body.count + 4).bigEndian) { Array($0) }
    }

    static func error(_ text: String) -> Message { Message("E", Array("SERROR\0VERROR\0C0A000\0M\(text)\0\0".utf8)) }

    var bytes: [UInt8] { (type.asciiValue.map { [$0] } ?? []) + Self.length(of: body) + body }

    /// One of the zero-terminated texts at the start of the body, counted from 0.
    func text(_ index: Int) -> String {
        let texts = body.split(separator: 0, maxSplits: index + 1, omittingEmptySubsequences: false)
        return texts.count > index ? String(decoding: texts[index], as: UTF8.self) : ""
    }

    /// The first parameter of a bound statement, if it is an int8.
    var firstParameter: Int64? {
        // Two empty names, the formats, the number of parameters, then each behind its length.
        guard body.count >= 4 else { return nil }
        let formats = Int(body[2]) << 8 | Int(body[3])
        let start = 4 + 2 * formats + 2
        guard body.count >= start + 12, body.number(at: start) == 8 else { return nil }
        return body[(start + 4)..<(start + 12)].reduce(0) { $0 << 8 | Int64($1) }
    }
}

extension [UInt8] {
    func number(at offset: Int) -> Int {
        guard count >= offset + 4 else { return -1 }
        return self[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) }
    }
}

/// One end of a connection.
final class Wire {
    let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func read() -> Message? {
        guard let type = bytes(1), let body = readBody() else { return nil }
        return Message(Character(UnicodeScalar(type[0])), body)
    }

    /// The body that follows a length.
    func readBody() -> [UInt8]? { bytes(4).flatMap { bytes($0.number(at: 0) - 4) } }

    private func bytes(_ count: Int) -> [UInt8]? {
        guard count >= 0 else { return nil }
        var (bytes, received) = ([UInt8](repeating: 0, count: count), 0)
        while received < count {
            let more = bytes.withUnsafeMutableBytes {
                recv(descriptor, $0.baseAddress.map { $0 + received }, count - received, 0)
            }
            guard more > 0 else { return nil }
            received += more
        }
        return bytes
    }

    func send(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let more = bytes.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard more > 0 else { return }
            sent += more
        }
    }
}
