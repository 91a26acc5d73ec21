public import Domain

/// What was taken from a file of another podcast program.
public struct ImportedLibrary: Sendable {
    public var foreign: ForeignLibrary
    /// One for each of its podcasts.
    public var verdicts: [ImportVerdict]
    /// What was taken about episodes.
    public var lines: [TagLine]
    /// How many of the lines wait for their episodes.
    public var waiting: Int

    package init(foreign: ForeignLibrary, verdicts: [ImportVerdict], lines: [TagLine], waiting: Int) {
        (self.foreign, self.verdicts, self.lines, self.waiting) = (foreign, verdicts, lines, waiting)
    }
}
