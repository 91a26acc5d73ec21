import Domain
import Results

/// Recognises the pieces of one episode that are not finished, a few at once. Each is durable as soon as it is finished.
struct RecognizePieces: Sendable {
    let parts: TranscribeEpisodes.Parts
    let listed: ListedEpisode
    let options: TranscribeEpisodes.Options
    let state: TranscriptionState
    let language: String
    let follow: @Sendable (TranscriptionStep) -> Void

    /// Pieces at the beginning on which the recogniser may fail; then it would fail on the others, too.
    private static let maxFailures = 3

    /// True if nothing but failures came of so many pieces.
    func isHopeless(_ pieces: [Int: FinishedPiece]) -> Bool {
        pieces.count >= Self.maxFailures && pieces.count < state.pieces.count
            && pieces.values.allSatisfy { $0.verdict.failure != nil && $0.verdict.segments.isEmpty }
    }

    /// - Returns: the finished pieces, of earlier runs too. Some are missing if the time was over, or if it is hopeless.
    /// - Throws: `CancellationError`; `TranscriberFailure`; `LibraryFailure`.
    func callAsFunction(
        _ work: any UnfinishedTranscription, _ claim: any TranscriptionClaim, _ speed: inout RecognitionSpeed
    ) async throws -> [Int: FinishedPiece] {
        // Failed pieces are tried again.
        var finished = try work.pieces().filter { number, piece in
            piece.verdict.failure == nil && number < state.pieces.count
        }
        var waiting = state.pieces.filter { finished[$0.number] == nil }[...]
        var measured = speed
        defer { speed = measured }
        tell(finished, measured.current)
        try await withThrowingTaskGroup(of: FinishedPiece?.self) { group in
            var running = 0
            while true {
                while running < max(options.recognizers, 1), let piece = waiting.first, !Task.isCancelled, !isHopeless(finished),
                    claim.isHeld,
                    options.budget.allows(piece.length, speed: measured.current, now: parts.clock())
                {
                    waiting.removeFirst()
                    running += 1
                    group.addTask { try await recognize(piece, work) }
                }
                guard running > 0, let result = try await group.next() else { break }
                running -= 1
                guard let piece = result else { continue }
                finished[piece.number] = piece
                // Pieces that run side by side share the time.
                measured.add(audio: state.pieces[piece.number].length, time: piece.seconds / Double(max(running + 1, 1)))
                tell(finished, measured.current)
            }
        }
        if Task.isCancelled { throw CancellationError() }
        return finished
    }

    private func tell(_ finished: [Int: FinishedPiece], _ speed: Double?) {
        let done = finished.keys.reduce(0) { $0 + state.pieces[$1].length }
        follow(.recognized(TranscriptionProgress(listed: listed, done: done, total: state.duration, speed: speed)))
    }

    /// - Returns: nil if the time of the run was over before the piece was finished.
    private func recognize(_ piece: AudioPiece, _ work: any UnfinishedTranscription) async throws -> FinishedPiece? {
        let (audio, folder) = try work.cut(piece)
        let timeout = TranscriptionBudget.timeout(ofPiece: piece.length)
        let remaining = options.budget.end.map { Double($0 - parts.clock()) } ?? .infinity
        let start = ContinuousClock.now
        let result = try await parts.recognizer.recognize(
            RecognitionRequest(audio: audio, folder: folder, language: language, timeout: max(min(timeout, remaining), 1)))
        let seconds = start.duration(to: .now) / .seconds(1)
        try work.removeCut(piece)
        let verdict: PieceVerdict
        switch result {
        case .failed(let failure):
            if failure.kind == .timedOut, remaining < timeout { return nil }
            verdict = PieceVerdict(failure: failure)
        case .wrote(let text):
            verdict = PieceVerdict(text, ofLength: piece.length) { parts.read($0, TranscriptHints()) }
        }
        let finished = FinishedPiece(number: piece.number, verdict: verdict, seconds: seconds)
        try work.store(finished)
        return finished
    }
}
