// What `scripts/bench parse` times: a feed file parsed to its items.
// usage: parse-time FILE; prints the nanoseconds of CPU time that the parsing took, the reading not included, and the
// peak of the process's memory in kilobytes.
import Domain
import Glibc
import Parsing

func now() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

func pieces(of path: String) -> [[UInt8]]? {
    let file = open(path, O_RDONLY)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var pieces: [[UInt8]] = []
    while true {
        let piece = [UInt8](unsafeUninitializedCapacity: 1 << 20) { $1 = max(0, read(file, $0.baseAddress, $0.count)) }
        if piece.isEmpty { return pieces }
        pieces.append(piece)
    }
}

/// getrusage's peak would be that of the program that started this one, where that was larger.
func peak() -> String {
    let status = String(decoding: (pieces(of: "/proc/self/status") ?? []).joined(), as: UTF8.self)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? "0"
    return line.filter(\.isNumber)
}

guard CommandLine.arguments.count == 2, let document = pieces(of: CommandLine.arguments[1]) else { exit(66) }

let began = now()
let parser = FeedParser()
for piece in document { parser.push(piece) }
let feed = try? parser.finish()
let took = now() - began
print(took, peak())
// The floor frees nothing either.
exit(feed?.items.isEmpty == false ? 0 : 65)
