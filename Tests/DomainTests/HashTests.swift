import Domain
import Testing

struct HashTests {
    /// What `xxhsum -H1` prints for them.
    @Test(
        arguments: [
            ("", 0xEF46_DB37_51D8_E999), ("a", 0xD24E_C4F1_A98C_6E5B), ("abc", 0x44BC_2CF5_AD77_0999),
            ("Nobody inspects the spammish repetition", 0xFBCE_A83C_8A37_8BF1),
        ] as [(String, UInt64)])
    func `is XXH64`(text: String, hash: UInt64) {
        #expect(XXH64.hash(text.utf8) == hash)
    }

    @Test func `pieces make the hash of the whole`() {
        let bytes = (0..<200).map { UInt8($0) }
        for count in 0...bytes.count {
            for cut in [0, 1, 7, 8, 31, 32, 33, 64] where cut <= count {
                var hash = XXH64()
                hash.update(bytes[..<cut])
                hash.update(Array(bytes[cut..<count]))
                #expect(hash.finish() == XXH64.hash(bytes[..<count]))
            }
        }
    }

    @Test(arguments: 0..<40) func `a number is hashed as its bytes`(before: Int) {
        let number: UInt64 = 0x0102_0304_0506_0708
        let text = [UInt8](repeating: 0x20, count: before)
        var hasher = XXH64()
        hasher.update(text)
        hasher.update(number)
        #expect(hasher.finish() == XXH64.hash(text + (1...8).reversed()))
    }
}
