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
            // The parser has bash expand what it offers as words of a command line, so that titles with quotes are lost.
            .replacing(Self.bashOffer, with: "__jimmy_add_titles \"$(__jimmy_custom_complete")
            .inFunction("__jimmy_custom_complete() {", before: Self.bashTitles)
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

    private static let bashOffer = "__jimmy_add_completions -W \"$(__jimmy_custom_complete"

    /// Offers the lines of a text that begin with the current word. Readline quotes them as it does file names.
    private static let bashTitles = """
        __jimmy_add_titles() {
            local typed="${cur}" completion
            case "${typed}" in
            \\"* | \\'*) typed="${typed:1}" ;;
            *) typed="${typed//\\\\/}" ;;
            esac
            while IFS='' read -r completion; do
                [[ -n "${completion}" && "${completion}" = "${typed}"* ]] && COMPREPLY+=("${completion}")
            done <<<"${1}"
            compopt -o filenames 2>/dev/null
        }


        """
}

extension String {
    /// Puts a text before a bash function.
    fileprivate func inFunction(_ head: String, before text: String) -> String {
        guard contains("COMPREPLY"), let start = firstRange(of: head + "\n")?.lowerBound else { return self }
        return self[..<start] + text + self[start...]
    }

    /// Edits the body of a bash function, which ends at the first line that consists of `}`.
    fileprivate func inFunction(_ head: String, _ edit: (Substring) -> String) -> String {
        guard contains("COMPREPLY"), let start = firstRange(of: head + "\n")?.upperBound,
            let end = self[start...].firstRange(of: "\n}")?.lowerBound
        else { return self }
        let close = index(after: end)
        return self[..<start] + edit(self[start..<close]) + self[close...]
    }
}
