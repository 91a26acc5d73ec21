/// Audio that tests make.
public enum Audio {
    /// Silence, as a WAV file: 8,000 samples a second, a byte each.
    public static func silence(seconds: Int) -> [UInt8] {
        func number(_ value: Int, _ bytes: Int) -> [UInt8] { (0..<bytes).map { UInt8(value >> (8 * $0) & 255) } }
        let samples = [UInt8](repeating: 128, count: 8_000 * seconds)
        let format = number(1, 2) + number(1, 2) + number(8_000, 4) + number(8_000, 4) + number(1, 2) + number(8, 2)
        return Array("RIFF".utf8) + number(36 + samples.count, 4) + Array("WAVEfmt ".utf8) + number(16, 4) + format
            + Array("data".utf8) + number(samples.count, 4) + samples
    }
}
