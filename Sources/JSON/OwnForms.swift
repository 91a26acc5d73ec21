public import Domain

/// Reads dates and checksums in the forms that jimmy writes.
extension JSONReader {
    /// Reads a date in the one form that jimmy writes, without creating a String.
    public mutating func time() throws -> Timestamp {
        guard try start() == UInt8(ascii: "\""), end - offset >= 22, bytes[offset + 21] == UInt8(ascii: "\""),
            bytes[offset + 5] == UInt8(ascii: "-"), bytes[offset + 8] == UInt8(ascii: "-"),
            bytes[offset + 11] == UInt8(ascii: "T"), bytes[offset + 14] == UInt8(ascii: ":"),
            bytes[offset + 17] == UInt8(ascii: ":"), bytes[offset + 20] == UInt8(ascii: "Z"),
            let century = twoDigits(1), let year = twoDigits(3), let month = twoDigits(6), let day = twoDigits(9),
            let hour = twoDigits(12), let minute = twoDigits(15), let second = twoDigits(18),
            let time = Timestamp(
                year: century * 100 + year, month: month, day: day, hour: hour, minute: minute, second: second)
        else { throw error(.wrongType) }
        offset += 22
        return time
    }

    private func twoDigits(_ distance: Int) -> Int? {
        let (tens, ones) = (bytes[offset + distance], bytes[offset + distance + 1])
        guard tens >= 48, tens <= 57, ones >= 48, ones <= 57 else { return nil }
        return Int(tens - 48) * 10 + Int(ones - 48)
    }

    /// 16 hexadecimal digits in a string.
    public mutating func hash() throws -> UInt64 {
        let first = offset
        let text = try string()
        var value: UInt64 = 0
        if text.utf8.count == 16,
            text.utf8.allSatisfy({ byte in
                guard let digit = hexValue(byte) else { return false }
                value = value << 4 | UInt64(digit)
                return true
            })
        {
            return value
        }
        offset = first
        throw error(.wrongType)
    }
}
