// What `scripts/bench parse` times: a feed file parsed to its items, and nothing printed of them but their number.
// usage: parse-time FILE
import Domain
import Glibc
import Parsing

guard CommandLine.arguments.count == 2, case let file = open(CommandLine.arguments[1], O_RDONLY), file >= 0 else { exit(66) }
let parser = FeedParser()
while true {
    let piece = [UInt8](unsafeUninitializedCapacity: 1 << 20) { $1 = max(0, read(file, $0.baseAddress, $0.count)) }
    if piece.isEmpty { break }
    parser.push(piece)
}
do {
    let feed = try parser.finish()
    print(feed.items.count)
    // The floor frees nothing either.
    exit(0)
} catch {
    exit(65)
}
