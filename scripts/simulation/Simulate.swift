import ArgumentParser
import Domain
import Glibc

/// What `scripts/simulate` runs.
@main struct Simulate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Simulates a fleet of workers on all podcasts of the world, by the rules that jimmy goes by.",
        discussion: "Example: scripts/simulate --feeds 50000")

    @Option(help: "Number of feeds; fewer for a quick look. Hosts shrink with it.")
    var feeds = Statistics.feeds
    @Option(help: "Requests that a host gets at once, as the setting says.")
    var perHost = 2
    @Option(help: "Where to draw the charts.")
    var svg: String?

    func validate() throws {
        guard feeds >= 1, (1...512).contains(perHost) else { throw ValidationError("feeds: at least 1; per-host: 1 to 512") }
    }

    func run() async throws {
        let simulation = Simulation(feeds: feeds, perHost: perHost, cores: max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        var outcomes: [Outcome] = []
        for plan in Plan.all {
            let line = Array("\(plan.name) …\n".utf8)
            write(STDERR_FILENO, line, line.count)
            outcomes.append(await simulation.run(plan))
        }
        let report = Report(outcomes: outcomes)
        print(report.tables, terminator: "")
        guard let svg else { return }
        guard let file = fopen(svg, "w") else { throw ValidationError("\(svg) cannot be written") }
        fputs(report.charts, file)
        fclose(file)
    }
}
