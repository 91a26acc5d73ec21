internal import CChild
import Domain
internal import FileSystem
internal import Glibc
internal import Synchronization
internal import Threads

/// Runs a program that ends when this one ends, however it ends, and that is given up after a time. Its output
/// goes to files.
struct KeptProgram {
    enum End: Equatable {
        /// With its exit code, or 128 and the signal that ended it.
        case ended(Int32)
        case timedOut
        case wroteTooMuch
    }

    /// The path of the program.
    let path: String
    let words: [String]
    /// Its working directory, in which it finds `stdout` and `stderr`.
    let folder: String
    /// As of nice(1).
    var priority = 19
    /// Seconds; nil for no limit.
    var timeout: Double?
    /// Bytes of output after which it is ended.
    var maxOutput = 16 << 20

    var outputFile: String { folder + "/stdout" }
    var errorsFile: String { folder + "/stderr" }

    /// Between two looks at the clock and at the size of the output.
    private static let tick: Int32 = 100

    /// The path of a program, which `$PATH` may contain.
    ///
    /// - Throws: `TranscriberFailure.notStarted`.
    static func path(of program: String) throws -> String {
        if program.contains("/") {
            guard access(program, X_OK) == 0 else { throw TranscriberFailure.notStarted(program: program, errno: errno) }
            return program
        }
        let folders = getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
        var number = ENOENT
        for folder in folders.split(separator: ":") where folder.hasPrefix("/") {
            let path = "\(folder)/\(program)"
            if access(path, X_OK) == 0 { return path }
            if errno == EACCES { number = EACCES }
        }
        throw TranscriberFailure.notStarted(program: program, errno: number)
    }

    /// - Throws: `TranscriberFailure.notStarted`, `CancellationError`, `LibraryFailure.io` if the files cannot be made,
    ///   `SystemFailure`.
    func run() async throws -> End {
        let isCancelled = Atomic(false)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                do {
                    // Blocks, so it has a thread of its own.
                    try startThread(for: .other) {
                        continuation.resume(with: Result { try wait { isCancelled.load(ordering: .relaxed) } })
                    }
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        } onCancel: {
            isCancelled.store(true, ordering: .relaxed)
        }
    }

    private func wait(_ isCancelled: () -> Bool) throws -> End {
        let output = try Self.file(outputFile)
        defer { close(output) }
        let errors = try Self.file(errorsFile)
        defer { close(errors) }
        var arguments = words.map { strdup($0) } + [nil]
        let child = child_start(path, &arguments, folder, output, errors, Int32(priority))
        for argument in arguments { free(argument) }
        guard child.keeper > 0 else { throw SystemFailure.call("fork", errno: child.error) }
        let start = ContinuousClock.now
        var status: Int32 = 0
        while child_wait(child, Self.tick, &status) == 0 {
            if isCancelled() {
                child_end(child)
                throw CancellationError()
            }
            if let timeout, start.duration(to: .now) > .seconds(timeout) {
                child_end(child)
                return .timedOut
            }
            if Self.size(output) > maxOutput || Self.size(errors) > maxOutput {
                child_end(child)
                return .wroteTooMuch
            }
        }
        if isCancelled() { throw CancellationError() }
        guard status >= 0 else { throw TranscriberFailure.notStarted(program: words[0], errno: -status) }
        return .ended(status)
    }

    private static func file(_ path: String) throws -> Int32 {
        let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw LibraryFailure.io(file: path, operation: "open", errno: errno) }
        return descriptor
    }

    private static func size(_ descriptor: Int32) -> Int {
        var facts = stat()
        return fstat(descriptor, &facts) == 0 ? Int(facts.st_size) : 0
    }

    /// The last line that it wrote on standard error.
    var lastWords: String? {
        guard let text = try? Self.read(errorsFile, from: -4_096, limit: 4_096) else { return nil }
        return String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline).last { line in
            line.contains { !$0.isWhitespace }
        }.map(String.init)
    }

    /// - Parameters:
    ///   - offset: from the end, if negative.
    ///   - limit: of bytes; nil is returned for a larger remainder.
    /// - Throws: `LibraryFailure.io`.
    static func read(_ path: String, from offset: Int = 0, limit: Int) throws -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw LibraryFailure.io(file: path, operation: "open", errno: errno) }
        defer { close(descriptor) }
        let size = Self.size(descriptor)
        let start = offset < 0 ? max(size + offset, 0) : min(offset, size)
        guard size - start <= limit else { return nil }
        guard let bytes = readBytes(of: descriptor, from: start, count: size - start) else {
            throw LibraryFailure.io(file: path, operation: "read", errno: errno)
        }
        return bytes
    }
}
