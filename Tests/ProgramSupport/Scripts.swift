import FileSystem
public import Glibc

/// Stand-ins for other programs, and what tests see of processes.
public enum Scripts {
    /// The folder of the package.
    public static let root = String(#filePath.prefix(upTo: #filePath.firstRange(of: "/Tests/")?.lowerBound ?? #filePath.endIndex))

    /// Writes a file that can be executed.
    public static func write(_ text: String, to path: String) throws {
        guard let file = fopen(path, "w") else { throw TestFailure("\(path): \(errno)") }
        fputs(text, file)
        fclose(file)
        chmod(path, 0o755)
    }

    /// Asks until there is an answer; for up to 30 seconds.
    public static func wait<Answer>(for question: () throws -> Answer?) throws -> Answer {
        let begin = ContinuousClock.now
        while begin.duration(to: .now) < .seconds(30) {
            if let answer = try? question() { return answer }
            usleep(10_000)
        }
        throw TestFailure("nothing came in 30 seconds")
    }

    /// `R`, `S`, `T`, `Z`; see proc(5).
    public static func state(of process: pid_t) throws -> Character {
        let text = try String(reading: "/proc/\(process)/stat")
        guard let name = text.lastIndex(of: ")"), let state = text[name...].dropFirst(2).first else {
            throw TestFailure("no state of \(process)")
        }
        return state
    }

    /// The processes that were started with this home, by the program or by others. One that ended and that nobody collected
    /// has no environment any more.
    public static func processes(ofHome folder: String) throws -> [pid_t] {
        try names(in: "/proc").compactMap { pid_t($0) }.filter { process in
            guard let environment = try? String(reading: "/proc/\(process)/environ") else { return false }
            return environment.split(separator: "\0").contains("HOME=\(folder)")
        }
    }

    public static func names(in folder: String) throws -> [String] {
        guard let names = folderNames(folder) else { throw TestFailure("\(folder): \(errno)") }
        return names
    }
}
