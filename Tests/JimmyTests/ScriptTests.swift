import Glibc
import Testing

/// The scripts of this repository, as somebody meets them who has not read them.
@Suite struct ScriptTests {
    private static let root = #filePath.prefix(upTo: #filePath.firstRange(of: "/Tests/")?.lowerBound ?? #filePath.endIndex)

    @Test func `every script explains itself and refuses unknown options before it does anything`() throws {
        let home = try Home()
        mkdir(home.folder + "/bin", 0o700)
        // Whoever installs or builds something calls one of these first.
        for name in ["apt-get", "clang", "git", "swift", "swiftc"] {
            try home.write("#!/bin/sh\necho \"$0 $*\" >>'\(home.folder)/called'\nexit 1\n", to: "bin/" + name)
            chmod(home.folder + "/bin/" + name, 0o755)
        }
        let run = try home.run(
            script: """
                : >called
                for script in '\(Self.root)'/scripts/* '\(Self.root)'/scripts/benchmarks/*; do
                  [ -f "$script" ] && [ -x "$script" ] || continue
                  for option in --help --no-such-option; do
                    "$script" $option >output 2>errors </dev/null
                    status=$?
                    echo "${script##*/scripts/} $option $status $(wc -w <output) $(wc -w <errors)"
                  done
                done
                cat called >&2
                """)
        #expect(run.errors == "")
        #expect(run.lines.count > 40)
        for line in run.lines {
            let fields = line.split(separator: " ").map(String.init)
            let asksForHelp = fields[1] == "--help"
            #expect(fields[2] == (asksForHelp ? "0" : "64"), "\(line)")
            #expect(fields[asksForHelp ? 3 : 4] != "0", "prints nothing: \(line)")
        }
    }

    private static let folder = Program.path.prefix(upTo: Program.path.lastIndex(of: "/") ?? Program.path.startIndex)
    private static let generator = folder + "/search-benchmark"

    /// As in real text. An index of text with a vocabulary that ends is smaller and cheaper.
    @Test(.enabled(if: access(String(generator), X_OK) == 0, "search-benchmark is not built."))
    func `texts of benchmarks have 20,000 different words in the first 200,000 and 60,000 in a million`() throws {
        let run = try Home().run(
            script: "'\(Self.root)/scripts/bench' words 200000 1000000 --tool '\(Self.generator)'")
        #expect(run.status == 0, "\(run.errors)")
        let counts = run.lines.dropFirst().map { line in
            line.split(separator: " ").compactMap { Int($0.filter { $0 != "," }) }
        }
        try #require(counts.map(\.count) == [3, 3], "\(run.output)")
        for vocabulary in counts[0][1...] { #expect((17_000...23_000).contains(vocabulary)) }
        for vocabulary in counts[1][1...] { #expect((51_000...69_000).contains(vocabulary)) }
    }
}
