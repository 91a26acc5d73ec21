public import Domain

/// What is wrong with the library, one place a line.
public struct VerifyView: View {
    let damage: [LibraryDamage]

    public init(_ damage: [LibraryDamage]) { self.damage = damage }

    public func lines(for display: Display) -> [String] {
        guard display.isTerminal else {
            return damage.map { place in
                [place.file, place.line.map(String.init) ?? "", place.podcast?.text ?? "", place.reason]
                    .map(\.oneLine).joined(separator: "\t")
            }
        }
        return damage.map { place in
            let line = place.line.map { ", line \($0)" } ?? ""
            let podcast = place.podcast.map { " (podcast \($0))" } ?? ""
            return "\(display.styled(place.file.oneLine + line, .failed)): \(place.reason.oneLine)\(podcast)"
        }
    }

    public func jsonLines(_ emit: (String) -> Void) {
        for place in damage { emit(jsonLine(Row(place: place))) }
    }

    /// The index is not part of the library, which may be undamaged.
    public static let damagedIndex = "The search index is damaged or of another version; 'jimmy verify --repair' rebuilds it."

    public var failure: FailureLine? {
        let count = damage.count { !$0.isLeftover }
        guard count > 0 else { return nil }
        return FailureLine(
            "library", counted(count, "place") + " damaged", status: .badData,
            advice: "'jimmy verify --repair' restores what it can and deletes nothing")
    }

    private struct Row: Fields {
        let place: LibraryDamage

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.text("file", place.file)
            visitor.integer("line", place.line)
            visitor.text("podcastID", place.podcast?.text)
            visitor.text("reason", place.reason)
            visitor.flag("leftover", place.isLeftover)
        }
    }
}

/// What a repair did.
public struct RepairView: View {
    let report: RepairReport

    public init(_ report: RepairReport) { self.report = report }

    public func lines(for display: Display) -> [String] {
        let kinds: [(String, [String], Style?)] = [
            ("restored", report.restored, .new), ("set aside", report.setAside, nil),
            ("lost", report.lost, .failed), ("waiting", report.waiting.map(\.text), .attention),
        ]
        var lines = display.isTerminal ? VerifyView(report.damage).lines(for: display) : []
        for (kind, names, style) in kinds {
            for name in names {
                lines.append(display.isTerminal ? "\(display.styled(kind, style)): \(name.oneLine)" : "\(kind)\t\(name.oneLine)")
            }
        }
        return lines
    }

    /// What remains to be done; nil if all is well again.
    public var advice: String? {
        if !report.lost.isEmpty {
            return "Lost data could not be restored; the damaged files remain where they were set aside."
        }
        if !report.waiting.isEmpty { return "'jimmy refresh --force' fetches what is missing." }
        if !report.waitingForTranscripts.isEmpty { return "'jimmy refresh --transcripts' fetches what is missing." }
        return nil
    }

    public var status: ExitStatus {
        !report.lost.isEmpty ? .badData : !(report.waiting + report.waitingForTranscripts).isEmpty ? .incomplete : .done
    }

    public func jsonLines(_ emit: (String) -> Void) { emit(jsonLine(Row(report: report))) }

    private struct Row: Fields {
        let report: RepairReport

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.integer("damaged", report.damage.count)
            visitor.texts("restored", report.restored)
            visitor.texts("setAside", report.setAside)
            visitor.texts("waiting", report.waiting.map(\.text))
            visitor.texts("waitingForTranscripts", report.waitingForTranscripts.map(\.text))
            visitor.texts("lost", report.lost)
        }
    }
}
