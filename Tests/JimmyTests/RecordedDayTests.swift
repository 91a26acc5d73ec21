import Testing

/// Odd days that were recorded (`scripts/record-days`), each replayed on the library as it was before: the outcome is the one
/// that stands beside the recording.
@Suite(.foldersOnly("recordings are of folders")) struct RecordedDayTests {
    private static let folder = #filePath.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/Days"

    @Test(arguments: [
        "moved-feed", "lying-304", "host-that-pauses", "cut-body", "changed-guid", "gone", "redirect-loop",
        "feed-becomes-a-page", "damaged-gzip", "private-feed", "shared-target", "clock-that-jumps",
    ])
    func `a day`(_ name: String) throws {
        let home = try Home()
        let day = "\(Self.folder)/\(name)"
        // git keeps no empty folders.
        let copied = try home.run(
            script: """
                rm -rf library && cp -r '\(day)/library' library && chmod -R u+w library
                mkdir -p library/new library/kept library/podcasts library/backup/podcasts
                """)
        #expect(copied.status == 0, "\(copied.errors)")
        let run = try home.jimmy.run(
            "refresh", "--replay", "\(day)/run.rec", "--library", home.library, "--json")
        #expect(run.status == 0, "\(run.errors)")
        #expect(!run.errors.contains("not in the state that it had"))
        let expected = try String(reading: "\(day)/expected.jsonl").split(separator: "\n")
        let reported = run.lines.filter { $0.contains("\"type\":\"podcast\"") }
        #expect(reported.count == expected.count)
        for (line, wanted) in zip(reported, expected) {
            // Each member of the expectation, in the form in which jimmy writes it.
            for member in wanted.dropFirst().dropLast().split(separator: "|") { #expect(line.contains(member), "\(line)") }
        }
        #expect(try home.jimmy.run("verify").status == 0)
    }
}
