import Composition
import Domain
import Processes
import Synchronization
import UseCases

extension Site {
    /// True if a speech recogniser is set.
    var canTranscribe: Bool { composition.settings.transcriber != nil }

    /// Runs `jimmy transcribe` for an episode, after those that were asked for before. It reports failures on standard
    /// error.
    func transcribeSoon(_ id: EpisodeID) {
        let isFirst = transcribing.withLock { waiting in
            guard !waiting.contains(id) else { return false }
            waiting.append(id)
            return waiting.count == 1
        }
        if isFirst { Task { await transcribeAll() } }
    }

    /// One after the other, since each keeps a core busy.
    private func transcribeAll() async {
        while let id = transcribing.withLock({ $0.first }) {
            _ = await Child.runUnseen([
                OwnProgram.sibling("jimmy"), "transcribe", "--quiet", "--library", composition.path, id.text,
            ])
            transcribing.withLock { waiting in waiting.removeAll { $0 == id } }
        }
    }

    /// `3 of 12 pieces`, or that it waits; nil if it was not asked for.
    func transcriptProgress(of id: EpisodeID) -> String? {
        guard let index = transcribing.withLock({ $0.firstIndex(of: id) }) else { return nil }
        if index > 0 { return "waits for \(index) other\(index == 1 ? "" : "s")" }
        guard let (done, total) = try? reader.findUntranscribed.progress(of: id) else { return "begins" }
        return "\(done) of \(total) piece\(total == 1 ? "" : "s")"
    }
}
