internal import Glibc
internal import Subprocess
internal import SystemPackage

/// Another program that is run to its end: a player, a shell command of the user's, a helper of the server's.
public enum Child {
    public enum Outcome: Hashable, Sendable {
        /// The exit status, or 128 and the signal, as shells report it.
        case ended(Int32)
        case notStarted(errno: Int32)
    }

    /// A program and its arguments, on jimmy's own terminal.
    public static func run(_ words: [String]) async -> Outcome {
        await outcome {
            try await Subprocess.run(
                executable(words), arguments: arguments(words), input: .currentStandardInput, output: .currentStandardOutput,
                error: .currentStandardError
            ).terminationStatus
        }
    }

    /// A shell command that gets a text on its standard input.
    ///
    /// - Parameter variables: added to those of this program.
    public static func run(shell command: String, input: [UInt8], variables: [String: String] = [:]) async -> Outcome {
        await outcome {
            try await Subprocess.run(
                .path("/bin/sh"), arguments: ["-c", command], environment: .inherit.updating(keyed(variables)),
                input: .inputWriter, output: .currentStandardOutput, error: .currentStandardError
            ) { child in
                // One that has seen enough reads no further.
                _ = try? await child.standardInputWriter.write(input)
                try? await child.standardInputWriter.finish()
            }.terminationStatus
        }
    }

    /// A program that has no terminal and whose results nobody reads; its errors go where this program's go.
    public static func runUnseen(_ words: [String]) async -> Outcome {
        await outcome {
            try await Subprocess.run(
                executable(words), arguments: arguments(words), output: .discarded, error: .currentStandardError
            ).terminationStatus
        }
    }

    /// A program that gets nothing of ours but these variables, and whose words nobody reads.
    public static func runApart(_ words: [String], variables: [String: String]) async -> Outcome {
        await outcome {
            let variables = variables.map { (Environment.Key(stringLiteral: $0), $1) }
            return try await Subprocess.run(
                executable(words), arguments: arguments(words),
                environment: .custom(Dictionary(uniqueKeysWithValues: variables)), output: .discarded, error: .discarded
            ).terminationStatus
        }
    }

    /// Whether `$PATH` has a program of this name.
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

    /// An interrupt reaches the child as well, which may have something to save: it is not killed, whatever becomes of the
    /// task that asked for it.
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
