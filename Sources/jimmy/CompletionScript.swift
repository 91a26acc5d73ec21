import ArgumentParser
import Presentation

/// A shell's completion script: the parser's script with corrections.
enum CompletionScript {
    static func text(for shell: CompletionShell) -> String { edited(Jimmy.completionScript(for: shell)) }

    /// Corrects a completion script; other texts of the parser are returned unchanged.
    static func edited(_ script: String) -> String {
        let names = (Jimmy.names + HelpTopic.allCases.map(\.rawValue)).joined(separator: " ")
        let fish = "complete -c 'jimmy' -n '__jimmy_should_offer_completions_for_flags_or_options \"jimmy help\""
        return
            script
            // Fish reports the position of the cursor only while the user types; nothing here depends on it.
            .replacing("(__jimmy_tokens -tC)", with: "0")
            // The arguments of 'jimmy help'. The parser offers none, so shells would offer files.
            .replacing("'*:subcommands:'", with: "'*:command or topic:(\(names))'")
            .replacing(
                "\(fish) version'",
                with: "complete -c 'jimmy' -n '__jimmy_should_offer_completions_for_positional \"jimmy help\" -ge 1' -fka "
                    + "'\(names)'\n\(fish) version'"
            )
            .inFunction("_jimmy_help() {") { $0 + "    COMPREPLY+=($(compgen -W '\(names)' -- \"${cur}\"))\n" }
    }
}

extension String {
    /// Edits the body of a bash function, which ends at the first line that consists of `}`.
    fileprivate func inFunction(_ head: String, _ edit: (Substring) -> String) -> String {
        guard contains("COMPREPLY"), let start = firstRange(of: head + "\n")?.upperBound,
            let end = self[start...].firstRange(of: "\n}")?.lowerBound
        else { return self }
        let close = index(after: end)
        return self[..<start] + edit(self[start..<close]) + self[close...]
    }
}
