internal import CUchardet
internal import Glibc

/// Guesses the encoding of a document that names none and is not UTF-8, by its letters.
///
/// The default for such documents is windows-1252. Other guesses are accepted only for encodings that libuchardet does
/// not confuse with it: those of other scripts, and of central Europe, where non-ASCII letters are far more frequent
/// than in western Europe.
enum EncodingGuess {
    private static let trusted: Set<String> = [
        "windows-1250", "iso-8859-2", "windows-1251", "iso-8859-5", "koi8-r", "koi8-u", "ibm866", "x-mac-cyrillic",
        "windows-1253", "iso-8859-7", "windows-1255", "iso-8859-8", "windows-1256", "iso-8859-6", "windows-874",
        "gbk", "gb18030", "big5", "euc-jp", "shift_jis", "euc-kr",
    ]
    private static let sampleSize = 1 << 20
    /// Fewer non-ASCII bytes make a guess unreliable.
    private static let minBytes = 24
    /// Smallest share of non-ASCII bytes, in percent. French text has about 4, with its tags less.
    private static let minShare = 5

    /// nil if no guess is safe.
    static func encoding(of bytes: [UInt8]) -> TextEncoding? {
        let sample = bytes.prefix(sampleSize)
        let nonASCII = sample.count { $0 >= 0x80 }
        guard nonASCII >= minBytes, nonASCII * 100 >= sample.count * minShare else { return nil }
        let name = String(unsafeUninitializedCapacity: 64) { name in
            sample.withUnsafeBufferPointer { sample in
                guard let bytes = sample.baseAddress, let start = name.baseAddress else { return 0 }
                return start.withMemoryRebound(to: CChar.self, capacity: 64) { name in
                    uchardet_guess(bytes, sample.count, name, 64) ? strlen(name) : 0
                }
            }
        }
        guard let encoding = TextEncoding(label: name), trusted.contains(encoding.name) else { return nil }
        return encoding
    }
}
