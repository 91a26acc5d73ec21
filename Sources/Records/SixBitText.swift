/// Numbers from 0 to 2^40 as text, six bits a character, the highest bit first.
struct SixBitText {
    private static let digits = Array("abcdefghijklmnopqrstuvwxyz234567ABCDEFGHIJKLMNOPQRSTUVWXYZ0189-_".utf8)
    private static let values: [UInt8?] = {
        var values = [UInt8?](repeating: nil, count: 256)
        for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }()
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
        for bit in stride(from: bits - 1, through: 0, by: -1) {
            open = open << 1 | UInt64(number >> Int64(bit) & 1)
            openBits += 1
            guard openBits == 6 else { continue }
            bytes.append(Self.digits[Int(open)])
            (open, openBits) = (0, 0)
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
        private var numbers: [UInt8] = []
        private var place = 0

        /// Reads up to the first character that no text has.
        init(_ text: some Sequence<UInt8>) {
            for byte in text {
                guard let value = SixBitText.values[Int(byte)] else { break }
                numbers.append(value)
            }
        }

        private mutating func bit() -> Int64? {
            guard place < 6 * numbers.count else { return nil }
            defer { place += 1 }
            return Int64(numbers[place / 6] >> UInt8(5 - place % 6) & 1)
        }

        mutating func next(bits: Int) -> Int64? {
            var number: Int64 = 0
            for _ in 0..<bits {
                guard let bit = bit() else { return nil }
                number = number << 1 | bit
            }
            return number
        }

        /// Nil at the end.
        mutating func next(parameter: Int) -> Int64? {
            var zeros = 0
            while true {
                guard let bit = bit() else { return nil }
                if bit == 1 { break }
                zeros += 1
            }
            guard zeros + parameter <= SixBitText.maxBits, let low = next(bits: zeros + parameter) else { return nil }
            return (1 << Int64(zeros + parameter) | low) - 1 << Int64(parameter)
        }
    }
}
