/// The form in which a body encodes its characters. Text to be searched in it is encoded in the same way.
enum CodeUnits: CaseIterable {
    /// UTF-8, and all encodings that write ASCII as it does.
    case bytes
    case utf16LittleEndian, utf16BigEndian

    /// - Parameter body: the body or its beginning, which has a byte order mark or a first `<` or `{` (XML 1.0,
    ///   appendix F.1).
    init(of body: [UInt8]) {
        switch body.prefix(2) {
        case [0xFF, 0xFE], [0x3C, 0], [0x7B, 0]: self = .utf16LittleEndian
        case [0xFE, 0xFF], [0, 0x3C], [0, 0x7B]: self = .utf16BigEndian
        default: self = .bytes
        }
    }

    func encoded(_ text: String) -> [UInt8] {
        switch self {
        case .bytes: Array(text.utf8)
        case .utf16LittleEndian: text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        case .utf16BigEndian: text.utf16.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        }
    }

    func utf8(_ bytes: [UInt8]) -> [UInt8] {
        guard self != .bytes else { return bytes }
        let units = stride(from: 0, to: bytes.count - 1, by: 2).map { index in
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            return self == .utf16LittleEndian ? first | second << 8 : first << 8 | second
        }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }
}
