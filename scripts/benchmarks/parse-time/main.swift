// What `scripts/bench parse` times: a feed file parsed to its items.
// usage: parse-time FILE; prints the nanoseconds of CPU time that the parsing took, the reading not included.
import Domain
import Glibc
import Parsing

func now() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

guard CommandLine.arguments.count == 2, case let file = open(CommandLine.arguments[1], O_RDONLY), file >= 0 else { exit(66) }
var pieces: [[UInt8]] = []
while true {
    let piece = [UInt8](unsafeUninitializedCapacity: 1 << 20) { $1 = max(0, read(file, $0.baseAddress, $0.count)) }
    if piece.isEmpty { break }
    pieces.append(piece)
}

let began = now()
let parser = FeedParser()
for piece in pieces { parser.push(piece) }
let feed = try? parser.finish()
print(now() - began)
// The floor frees nothing either.
exit(feed?.items.isEmpty == false ? 0 : 65)
