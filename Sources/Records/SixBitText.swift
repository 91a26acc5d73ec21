/// Numbers from 0 to 2^40 as text, six bits a character, the highest bit first.
struct SixBitText {
    private static let digits = Array("abcdefghijklmnopqrstuvwxyz234567ABCDEFGHIJKLMNOPQRSTUVWXYZ0189-_".utf8)
    /// The number of each digit, and `noDigit` for all other bytes.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: noDigit, count: 256)
        for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }()
    private static let noDigit = UInt8.max
    private static let maxBits = 41

    private var bytes: [UInt8] = []
    private var open: UInt64 = 0
    private var openBits = 0

    /// The text so far. Zeros fill the last character, which are no number.
    var text: String {
        var bytes = bytes
        if openBits > 0 { bytes.append(Self.digits[Int(open << UInt64(6 - openBits) & 63)]) }
        return String(decoding: bytes, as: UTF8.self)
    }

    mutating func append(_ number: Int64, bits: Int) {
        open = open << UInt64(bits) | UInt64(number)
        openBits += bits
        while openBits >= 6 {
            openBits -= 6
            bytes.append(Self.digits[Int(open >> UInt64(openBits))])
            open &= 1 << UInt64(openBits) - 1
        }
    }

    /// Exponential Golomb code: numbers below 2^parameter take one bit more than the parameter.
    mutating func append(_ number: Int64, parameter: Int) {
        let number = min(number, 1 << Int64(Self.maxBits - 1)) + 1 << Int64(parameter)
        let width = Self.width(number)
        append(0, bits: width - parameter - 1)
        append(number, bits: width)
    }

    /// The bits of a number above 0 without its leading zeros.
    static func width(_ number: Int64) -> Int { Int64.bitWidth - number.leadingZeroBitCount }

    struct Reader {
        private let text: [UInt8]
        private var place = 0
        /// The bits that come next, the first of them highest.
        private var bits: UInt64 = 0
        private var count = 0

        /// Reads up to the first character that no text has.
        init(_ text: some Sequence<UInt8>) { self.text = Array(text) }

        private mutating func fill() {
            while count <= UInt64.bitWidth - 6, place < text.count {
                let value = SixBitText.values[Int(text[place])]
                if value == SixBitText.noDigit {
                    place = text.count
                } else {
                    count += 6
                    bits |= UInt64(value) << UInt64(UInt64.bitWidth - count)
                    place += 1
                }
            }
        }

        /// Nil at the end.
        mutating func next(bits width: Int) -> Int64? {
            if count < width { fill() }
            guard count >= width else { return nil }
            defer {
                bits <<= UInt64(width)
                count -= width
            }
            return Int64(bits >> UInt64(UInt64.bitWidth - width))
        }

        /// Nil at the end.
        mutating func next(parameter: Int) -> Int64? {
            fill()
            let zeros = bits.leadingZeroBitCount
            guard zeros < count, zeros + parameter <= SixBitText.maxBits, next(bits: zeros + 1) != nil,
                let low = next(bits: zeros + parameter)
            else { return nil }
            return (1 << Int64(zeros + parameter) | low) - 1 << Int64(parameter)
        }
    }
}
