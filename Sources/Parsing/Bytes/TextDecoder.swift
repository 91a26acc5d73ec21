internal import Glibc

/// A document's bytes as UTF-8, and how they were decoded.
struct DecodedText {
    var utf8: [UInt8]
    var encoding: TextEncoding
    /// Number of invalid sequences, which became U+FFFD.
    var replaced = 0
    /// Declared encodings that the bytes refute, or that are unknown.
    var refuted: [String] = []
    /// True if no encoding is declared and the bytes are not UTF-8.
    var isGuess = false
}

extension DecodedText {
    /// - Parameter labels: declared encodings in order of precedence.
    init(_ bytes: [UInt8], labels: [String]) {
        if let mark = TextEncoding.byteOrderMark(bytes) {
            self.init(Array(bytes[mark.length...]), in: mark.encoding)
            return
        }
        if let wide = TextEncoding.widePattern(bytes) {
            self.init(bytes, in: wide)
            return
        }
        let check = UTF8Check(bytes)
        var refuted: [String] = []
        for label in labels {
            guard let encoding = TextEncoding(label: label), !encoding.isWide else {
                refuted.append(label)
                continue
            }
            if encoding == .utf8 ? check.looksLikeUTF8 : !check.isUnmistakablyUTF8 {
                self.init(bytes, in: encoding)
                self.refuted = refuted
                return
            }
            refuted.append(label)
        }
        if check.looksLikeUTF8 {
            self.init(bytes, in: .utf8)
        } else {
            let guess = EncodingGuess.encoding(of: bytes)
            self.init(bytes, in: guess ?? .windows1252)
            if guess != nil, replaced > 0 { self.init(bytes, in: .windows1252) }
            isGuess = true
        }
        self.refuted = refuted
    }

    private init(_ bytes: [UInt8], in encoding: TextEncoding) {
        if encoding == .utf8 {
            let check = UTF8Check(bytes)
            let mended = check.nearMisses == 0 ? bytes : UTF8Check.mending(bytes)
            self.init(utf8: check.isValid ? bytes : Array(String(decoding: mended, as: UTF8.self).utf8), encoding: .utf8)
            replaced = check.invalid + check.nearMisses
            if check.isValid { utf8.removeLast(check.cutOff) }
        } else if let converter = Converter(from: encoding.iconvName) {
            let (utf8, replaced) = converter.convert(bytes, controlsFromBytes: encoding == .windows1252)
            self.init(utf8: utf8, encoding: encoding, replaced: replaced)
        } else {
            self.init(utf8: Array(String(decoding: bytes, as: UTF8.self).utf8), encoding: .utf8)
            refuted = [encoding.name]
        }
    }
}

/// Counts valid and invalid UTF-8 sequences.
struct UTF8Check {
    /// Number of characters of two or more bytes.
    private(set) var multibyte = 0
    /// Number of invalid sequences. A character cut off by the end of the document does not count.
    private(set) var invalid = 0
    /// Number of sequences that only programs which meant UTF-8 write: surrogate pairs of three bytes each (CESU-8), and
    /// `C0 80` for NUL.
    private(set) var nearMisses = 0
    /// Number of bytes at the end that begin a character without completing it.
    private(set) var cutOff = 0

    var isValid: Bool { invalid == 0 && nearMisses == 0 }
    /// True even with a few invalid bytes, which do not make it another encoding.
    var looksLikeUTF8: Bool { invalid == 0 || multibyte + nearMisses > invalid * 2 }
    /// True for valid text with several non-ASCII characters, since text in another encoding is practically never valid UTF-8. One
    /// or two do not refute what is declared.
    var isUnmistakablyUTF8: Bool { invalid == 0 && multibyte + nearMisses > 2 }

    init(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { raw in
            var index = 0
            while index < raw.count {
                if index + 8 <= raw.count, Self.isASCII(raw, index) {
                    index += 8
                    continue
                }
                let length = Self.sequenceLength(raw, index)
                switch length {
                case 1: index += 1
                case 2...:
                    multibyte += 1
                    index += length
                default:
                    if let miss = Self.nearMiss(raw, index) {
                        nearMisses += 1
                        index += miss.length
                        continue
                    }
                    if raw.count - index < 4, raw[index] >= 0xC2, raw[(index + 1)...].allSatisfy({ $0 & 0xC0 == 0x80 }) {
                        cutOff = raw.count - index
                        return
                    }
                    invalid += 1
                    index += Self.invalidLength(raw, index)
                }
            }
        }
    }

    /// Replaces near misses by what was meant. NUL is left out.
    static func mending(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        bytes.withUnsafeBytes { raw in
            var index = 0
            while index < raw.count {
                if raw[index] >= 0xC0, let miss = nearMiss(raw, index) {
                    if let scalar = miss.scalar, let utf8 = UTF8.encode(scalar) { result.append(contentsOf: utf8) }
                    index += miss.length
                } else {
                    result.append(raw[index])
                    index += 1
                }
            }
        }
        return result
    }

    /// Source for CESU-8: Unicode Technical Report 26.
    private static func nearMiss(_ raw: UnsafeRawBufferPointer, _ index: Int) -> (scalar: Unicode.Scalar?, length: Int)? {
        func half(at start: Int, _ second: ClosedRange<UInt8>) -> UInt32? {
            guard start + 2 < raw.count, raw[start] == 0xED, second.contains(raw[start + 1]), raw[start + 2] & 0xC0 == 0x80 else {
                return nil
            }
            return UInt32(raw[start + 1] & 0x0F) << 6 | UInt32(raw[start + 2] & 0x3F)
        }
        if raw[index] == 0xC0, index + 1 < raw.count, raw[index + 1] == 0x80 { return (nil, 2) }
        guard let high = half(at: index, 0xA0...0xAF), let low = half(at: index + 3, 0xB0...0xBF) else { return nil }
        return (Unicode.Scalar(0x10000 + (high << 10 | low)), 6)
    }

    /// The bytes that one U+FFFD stands for: the beginning of a character that was cut, or one byte.
    private static func invalidLength(_ raw: UnsafeRawBufferPointer, _ index: Int) -> Int {
        let wanted: Int
        let second = index + 1 < raw.count ? raw[index + 1] : 0
        switch (raw[index], second) {
        case (0xE0, 0xA0...), (0xE1...0xEC, _), (0xED, ...0x9F), (0xEE...0xEF, _): wanted = 3
        case (0xF0, 0x90...), (0xF1...0xF3, _), (0xF4, ...0x8F): wanted = 4
        default: return 1
        }
        var length = 1
        while length < wanted, index + length < raw.count, raw[index + length] & 0xC0 == 0x80 { length += 1 }
        return length
    }

    /// Tests eight bytes.
    @inline(__always)
    private static func isASCII(_ raw: UnsafeRawBufferPointer, _ index: Int) -> Bool {
        raw.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
    }

    /// 0 if no well-formed sequence begins here. Source: Unicode, table 3-7.
    private static func sequenceLength(_ raw: UnsafeRawBufferPointer, _ index: Int) -> Int {
        let first = raw[index]
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch first {
        case 0...0x7F: return 1
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: length = 4
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return 0
        }
        guard index + length <= raw.count, second.contains(raw[index + 1]) else { return 0 }
        for offset in 2..<max(2, length) where raw[index + offset] & 0xC0 != 0x80 { return 0 }
        return length
    }
}

/// The owner of an iconv descriptor.
private final class Converter {
    private let descriptor: iconv_t

    /// nil if the C library does not have the encoding.
    init?(from name: String) {
        guard let descriptor = iconv_open("UTF-8", name), Int(bitPattern: descriptor) != -1 else { return nil }
        self.descriptor = descriptor
    }

    deinit { iconv_close(descriptor) }

    /// - Parameter controlsFromBytes: true for windows-1252, whose unassigned bytes are C1 controls.
    func convert(_ bytes: [UInt8], controlsFromBytes: Bool) -> (utf8: [UInt8], replaced: Int) {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count + bytes.count / 8)
        var replaced = 0
        var piece = [CChar](repeating: 0, count: 64 << 10)
        bytes.withUnsafeBytes { input in
            // iconv's prototype takes a mutable pointer, though it only reads.
            var next = UnsafeMutableRawPointer(mutating: input.baseAddress)?.assumingMemoryBound(to: CChar.self)
            var left = input.count
            while left > 0 {
                var status = 0
                var problem: Int32 = 0
                let written = piece.withUnsafeMutableBufferPointer { piece in
                    var target = piece.baseAddress
                    var room = piece.count
                    status = iconv(descriptor, &next, &left, &target, &room)
                    problem = errno
                    return piece.count - room
                }
                piece.withUnsafeBytes { output.append(contentsOf: $0[..<written]) }
                guard status == -1, problem != E2BIG, left > 0, let bad = next else { continue }
                let byte = UInt8(bitPattern: bad.pointee)
                if controlsFromBytes, (0x80...0x9F).contains(byte) {
                    output.append(contentsOf: [0xC2, byte])
                } else {
                    output.append(contentsOf: [0xEF, 0xBF, 0xBD])
                    replaced += 1
                }
                next = bad + 1
                left -= 1
            }
        }
        return (output, replaced)
    }
}
