internal import Subprocess
internal import SystemPackage

extension Child {
    /// Runs a program that reads a text and writes its choice of it, such as fzf, which talks to the user on the terminal.
    ///
    /// - Returns: what it wrote; nil if it failed or wrote too much.
    public static func filter(_ words: [String], input: [UInt8]) async -> [UInt8]? {
        await Task {
            let run = try? await Subprocess.run(
                .name(words.first ?? ""), arguments: Arguments(Array(words.dropFirst())), input: .array(input),
                output: .bytes(limit: 1 << 24), error: .currentStandardError)
            return run?.terminationStatus.isSuccess == true ? run?.standardOutput : nil
        }.value
    }
}
