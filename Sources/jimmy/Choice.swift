import Composition
import Domain
import FileSystem
import Glibc
import Presentation
import UseCases

/// Questions on a terminal.
enum Choice {
    /// True if somebody can be asked.
    static func isPossible(_ context: Context) -> Bool {
        isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 && !context.options.json && !context.options.quiet
    }

    /// Shows the candidates with numbers and asks which are meant.
    ///
    /// - Returns: the indices of those chosen.
    /// - Throws: `FailureLine` if none is chosen.
    static func ask(_ name: String, _ lines: [String], of count: Int, severalAllowed: Bool) throws -> [Int] {
        lines.forEach(Console.tell)
        _ = writeAll(Array((severalAllowed ? "Which ones? [1-\(count)] " : "Which one? [1-\(count)] ").utf8), to: STDERR_FILENO)
        let words = (readLine() ?? "").split { $0 == " " || $0 == "," }
        let numbers = words.compactMap { Int($0) }.filter { (1...count).contains($0) }
        guard !numbers.isEmpty, numbers.count == words.count, severalAllowed || numbers.count == 1 else {
            throw nothingChosen(name)
        }
        return numbers.map { $0 - 1 }
    }

    /// Asks a question that is answered with yes or no; anything but yes is no.
    static func confirms(_ question: String) -> Bool {
        _ = writeAll(Array("\(question) [y/N] ".utf8), to: STDERR_FILENO)
        return ["y", "yes"].contains((readLine() ?? "").lowercased())
    }

    static func nothingChosen(_ name: String) -> FailureLine {
        FailureLine(name, "nothing was chosen, so nothing was done", status: .interrupted)
    }
}

extension FindPodcast {
    /// As `named`, but asks on a terminal which of several episodes is meant.
    func named(_ names: [String], _ context: Context) async throws -> [Named] {
        guard Choice.isPossible(context) else { return try await self.named(names) }
        var named: [Named] = []
        for name in names {
            do {
                named += try await self.named([name])
            } catch LookupFailure.ambiguousEpisode(let name, let candidates) where Choice.isPossible(context) {
                Console.tell("\(name.oneLine): \(grouped(candidates.total)) episodes match.")
                let lines = CandidateList.lines(of: candidates, isNumbered: true)
                let chosen = try Choice.ask(name, lines, of: candidates.shown.count, severalAllowed: false)
                named += chosen.map { .episode(candidates.shown[$0].episode.id) }
            }
        }
        return named
    }
}
