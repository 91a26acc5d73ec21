import ArgumentParser
import Composition
import Presentation

struct CompletionScripts: Command {
    static let configuration = CommandConfiguration(
        commandName: "completions", _superCommandName: "jimmy",
        abstract: "Print a completion script for your shell.",
        discussion: """
            scripts/install and the Debian package install these scripts. Otherwise evaluate bash's in ~/.bashrc, put zsh's \
            into a folder of $fpath, and fish's into ~/.config/fish/completions.

              eval "$(jimmy completions bash)"
              jimmy completions zsh > _jimmy
              jimmy completions fish > jimmy.fish
            """)

    enum Shell: String, CaseIterable, ExpressibleByArgument {
        case bash, zsh, fish
    }

    @Argument(help: ArgumentHelp("The shell: bash, zsh or fish.", valueName: "shell"))
    var shell: Shell

    @OptionGroup var options: GlobalOptions

    func run(_ context: Context) throws -> ExitStatus {
        let completionShell: CompletionShell =
            switch shell {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        context.console.print(CompletionScript.text(for: completionShell))
        return .done
    }
}
