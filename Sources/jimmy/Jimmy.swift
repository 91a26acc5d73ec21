import ArgumentParser

@main
struct Jimmy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "jimmy", subcommands: [Parse.self])
}
