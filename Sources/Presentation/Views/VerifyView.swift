public import Domain

/// The library's damage, one fault per line.
public struct VerifyView: View {
    let damage: [LibraryDamage]

    public init(_ damage: [LibraryDamage]) { self.damage = damage }

    public func lines(for display: Display) -> [String] {
        guard display.isTerminal else {
            return damage.map { fault in
                [fault.file, fault.line.map(String.init) ?? "", fault.podcast?.text ?? "", fault.reason]
                    .map(\.oneLine).joined(separator: "\t")
            }
        }
        return damage.map { fault in
            let line = fault.line.map { ", line \($0)" } ?? ""
            let podcast = fault.podcast.map { " (podcast \($0))" } ?? ""
            return "\(display.styled(fault.file.oneLine + line, .failed)): \(fault.reason.oneLine)\(podcast)"
        }
    }

    public func jsonLines(_ emit: (String) -> Void) {
        for fault in damage { emit(jsonLine(Row(fault: fault))) }
    }

    /// Reported separately, since the library itself may be undamaged.
    public static let damagedIndex = "The search index is damaged or of another version; 'jimmy verify --repair' rebuilds it."

    public var failure: FailureLine? {
        let count = damage.count { !$0.isLeftover }
        guard count > 0 else { return nil }
        return FailureLine(
            "library", counted(count, "place") + " damaged", status: .badData,
            advice: "'jimmy verify --repair' restores what it can and deletes nothing")
    }

    private struct Row: Fields {
        let fault: LibraryDamage

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.text("file", fault.file)
            visitor.integer("line", fault.line)
            visitor.text("podcastID", fault.podcast?.text)
            visitor.text("reason", fault.reason)
            visitor.flag("leftover", fault.isLeftover)
        }
    }
}

/// The result of a repair.
public struct RepairView: View {
    let report: RepairReport

    public init(_ report: RepairReport) { self.report = report }

    public func lines(for display: Display) -> [String] {
        let kinds: [(String, [String], Style?)] = [
            ("restored", report.restored, .new), ("merged", report.merged, .new), ("set aside", report.setAside, nil),
            ("lost", report.lost, .failed), ("conflict", report.conflicts, .failed),
            ("waiting", report.waiting.map(\.text), .attention),
        ]
        var lines = display.isTerminal ? VerifyView(report.damage).lines(for: display) : []
        for (kind, names, style) in kinds {
            for name in names {
                lines.append(display.isTerminal ? "\(display.styled(kind, style)): \(name.oneLine)" : "\(kind)\t\(name.oneLine)")
            }
        }
        return lines
    }

    /// The next step; nil if all is well again.
    public var advice: String? {
        if !report.lost.isEmpty {
            return "Lost data could not be restored; the damaged files remain where they were set aside."
        }
        if !report.conflicts.isEmpty {
            return "These copies of files that two machines changed are unreadable. Delete them when you need nothing of them."
        }
        if !report.waiting.isEmpty { return "'jimmy refresh --force' fetches what is missing." }
        if !report.waitingForTranscripts.isEmpty { return "'jimmy refresh --transcripts' fetches what is missing." }
        return nil
    }

    public var status: ExitStatus {
        !(report.lost + report.conflicts).isEmpty
            ? .badData : !(report.waiting + report.waitingForTranscripts).isEmpty ? .incomplete : .done
    }

    public func jsonLines(_ emit: (String) -> Void) { emit(jsonLine(Row(report: report))) }

    private struct Row: Fields {
        let report: RepairReport

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.integer("damaged", report.damage.count)
            visitor.texts("restored", report.restored)
            visitor.texts("merged", report.merged)
            visitor.texts("setAside", report.setAside)
            visitor.texts("waiting", report.waiting.map(\.text))
            visitor.texts("waitingForTranscripts", report.waitingForTranscripts.map(\.text))
            visitor.texts("lost", report.lost)
            visitor.texts("conflicts", report.conflicts)
        }
    }
}
