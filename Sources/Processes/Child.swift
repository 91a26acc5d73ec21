public import Domain
internal import Glibc
internal import Subprocess
internal import Synchronization
internal import SystemPackage

/// Runs another program to its end: a player, a shell command of the user, or a helper of the server.
public enum Child {
    public typealias Outcome = PlayerOutcome.Exit

    /// Runs a program on jimmy's own terminal, and `body` beside it until the program has ended.
    ///
    /// - Returns: what `body` returned; nil if the program did not start.
    static func run<Result: Sendable>(
        _ words: [String], _ body: @escaping @Sendable (ProcessState) async -> Result
    ) async -> (outcome: Outcome, result: Result?) {
        let result = Mutex<Result?>(nil)
        let outcome = await outcome {
            try await Subprocess.run(
                executable(words), arguments: arguments(words), input: .currentStandardInput, output: .currentStandardOutput,
                error: .currentStandardError
            ) { child in
                let own = await body(ProcessState(id: child.processIdentifier.value))
                result.withLock { $0 = own }
            }.terminationStatus
        }
        return (outcome, result.withLock { $0 })
    }

    /// Runs a shell command with a text on its standard input.
    ///
    /// - Parameter variables: environment variables added to those of this process.
    public static func run(shell command: String, input: [UInt8], variables: [String: String] = [:]) async -> Outcome {
        await outcome {
            try await Subprocess.run(
                .path("/bin/sh"), arguments: ["-c", command], environment: .inherit.updating(keyed(variables)),
                input: .inputWriter, output: .currentStandardOutput, error: .currentStandardError
            ) { child in
                // A child that needs no more input may close it early.
                _ = try? await child.standardInputWriter.write(input)
                try? await child.standardInputWriter.finish()
            }.terminationStatus
        }
    }

    /// Runs a program without a terminal, discarding its output; its errors go to this program's standard error.
    public static func runUnseen(_ words: [String]) async -> Outcome {
        await outcome {
            try await Subprocess.run(
                executable(words), arguments: arguments(words), output: .discarded, error: .currentStandardError
            ).terminationStatus
        }
    }

    /// Runs a program with only these environment variables, discarding its output and errors.
    public static func runApart(_ words: [String], variables: [String: String]) async -> Outcome {
        await outcome {
            let variables = variables.map { (Environment.Key(stringLiteral: $0), $1) }
            return try await Subprocess.run(
                executable(words), arguments: arguments(words),
                environment: .custom(Dictionary(uniqueKeysWithValues: variables)), output: .discarded, error: .discarded
            ).terminationStatus
        }
    }

    /// True if `$PATH` contains a program of this name.
    public static func isInstalled(_ program: String) async -> Bool {
        (try? await executable([program]).resolveExecutablePath(in: .inherit)) != nil
    }

    private static func executable(_ words: [String]) -> Executable {
        let program = words.first ?? ""
        return program.contains("/") ? .path(FilePath(program)) : .name(program)
    }

    private static func arguments(_ words: [String]) -> Arguments { Arguments(Array(words.dropFirst())) }

    private static func keyed(_ variables: [String: String]) -> [Environment.Key: String?] {
        Dictionary(uniqueKeysWithValues: variables.map { (Environment.Key(stringLiteral: $0), $1) })
    }

    /// Runs a child in a task of its own. An interrupt reaches the child as well, which may have something to save, so
    /// it is not killed if the calling task is cancelled.
    private static func outcome(_ run: @escaping @Sendable () async throws -> TerminationStatus) async -> Outcome {
        await Task {
            do {
                switch try await run() {
                case .exited(let status): return .ended(status)
                case .signaled(let signal): return .ended(128 + signal)
                }
            } catch {
                return .notStarted(errno: (error as? SubprocessError)?.underlyingError?.rawValue ?? ENOENT)
            }
        }.value
    }
}
