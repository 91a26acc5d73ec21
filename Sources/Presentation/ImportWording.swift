public import Domain
public import Results

/// Wording of `import`, besides that of its subscriptions.
public enum ImportWording {
    /// `2 played, 1 starred, 3 queued, 1 begun; 5 of 6 episodes wait for the first fetch`; nil if there are no episodes.
    public static func episodes(_ imported: ImportedLibrary, isFetching: Bool) -> String? {
        let lines = imported.lines
        guard !lines.isEmpty else { return nil }
        let counts = [
            (lines.count { $0.tags.contains(.new) }, "new"), (lines.count { $0.tags.contains(.played) }, "played"),
            (lines.count { $0.tags.contains(.starred) }, "starred"), (lines.count { $0.facts.queuePlace != nil }, "queued"),
            (lines.count { $0.facts.seconds ?? 0 > 0 }, "begun"),
        ].filter { $0.0 > 0 }.map { "\(grouped($0)) \($1)" }
        let taken = "\(counted(lines.count, "episode")): \(counts.isEmpty ? "your tags" : counts.joined(separator: ", "))."
        guard imported.waiting > 0 else { return taken }
        let wait = imported.waiting == 1 ? "1 waits" : "\(grouped(imported.waiting)) wait"
        return taken + " \(wait) for the first fetch" + (isFetching ? "." : ": 'jimmy refresh'.")
    }

    /// What needs to be known, but is no failure.
    public static func notes(_ omissions: [ForeignOmission]) -> [String] {
        omissions.compactMap { omission in
            guard case .downloads(let count) = omission else { return nil }
            return "\(counted(count, "downloaded file")) not taken; 'jimmy download' fetches what you want here."
        }
    }

    public static func failures(_ omissions: [ForeignOmission], in file: String) -> [FailureLine] {
        omissions.compactMap { omission in
            switch omission {
            case .notAFeed(let line, let text):
                FailureLine("\(file), line \(line)", "not taken, because it is no feed URL: \(text)", status: .incomplete)
            case .localPodcast(let title):
                FailureLine(title, "not taken, because it is a folder on the other device", status: .incomplete)
            case .namelessEpisode(let podcast, let title):
                FailureLine(
                    "\(podcast): \(title.isEmpty ? "an episode" : title)",
                    "not taken, because it has neither a guid nor a media URL", status: .incomplete)
            case .downloads: nil
            }
        }
    }
}

extension FailureLine {
    init(_ failure: ImportFailure, doing what: String) {
        switch failure {
        case .unknownFormat:
            self.init(
                what, "not a file that jimmy can import", status: .badData,
                advice: "it takes the databases of gPodder, AntennaPod and newsboat, newsboat's urls, and OPML")
        case .needsFile:
            self.init(what, "a database cannot be read from standard input", status: .usage, advice: "name the file")
        case .noLibrary(let errno):
            self.init(
                what, "libsqlite3 is needed to read a database: \(systemWords(errno))", status: .unavailable,
                advice: "on Debian: apt install libsqlite3-0")
        case .damaged: self.init(what, "the database is damaged", status: .badData)
        case .busy:
            self.init(what, "another program is writing it", status: .locked, advice: "close that program first")
        case .denied: self.init(what, "the database cannot be opened", status: .noPermission)
        case .failed: self.init(what, "the database cannot be read", status: .diskFailed)
        }
    }
}
