import Domain
import Testing

@testable import Fetching

struct HeldBodyTests {
    private let memory = HeldMemory(limit: 10)
    private let body = Array("12345678".utf8)

    private func reader() -> BodyReader {
        BodyReader(contentEncoding: nil, lastHash: XXH64.hash(body), limit: 100, holdingIn: memory)
    }

    @Test func `a body is decoded as it arrives while others take the memory`() throws {
        var (first, second, passedOn) = (reader(), reader(), [UInt8]())
        try first.read(Array(body[..<5])) { _ in Issue.record("the first is held") }
        try second.read(Array(body[..<4])) { _ in Issue.record("the second is held") }
        try second.read(Array(body[4...])) { passedOn += $0 }
        #expect(passedOn == body)
        #expect(try !second.finish { _ in })
        try first.read(Array(body[5...])) { _ in Issue.record("the first is held") }
        #expect(try first.finish { _ in })
    }

    @Test func `a body that ended gives its memory back, however it ended`() throws {
        for _ in 1...3 {
            var complete = reader()
            try complete.read(body) { _ in }
            #expect(try complete.finish { _ in })
        }
        for _ in 1...3 {
            var brokenOff = reader()
            try brokenOff.read(body) { _ in Issue.record("nothing else is held") }
        }
    }
}
