import Domain
import Results
import Scheduling
import Searching

/// Makes the transcript of one episode.
struct TranscribeEpisode: Sendable {
    let parts: TranscribeEpisodes.Parts
    var listed: ListedEpisode
    let options: TranscribeEpisodes.Options
    let politeness: Politeness
    let follow: @Sendable (TranscriptionStep) -> Void

    private var episode: Episode { listed.episode }

    /// - Throws: `TranscriberFailure` if a program cannot be started.
    mutating func callAsFunction(_ speed: inout RecognitionSpeed) async throws -> TranscriptionOutcome.Kind {
        do {
            if let kind = Self.ending(try await entry(), of: episode, options) { return kind }
            guard let work = try parts.store.open(episode.id) else { return .busy }
            defer { withExtendedLifetime(work) {} }
            guard let claim = try await parts.library.transcripts.claim(episode.id, by: parts.store.holder()) else {
                // Nothing of it is on this machine.
                if try work.state == nil && work.fetchedAudio() == nil { try work.remove() }
                return .busy
            }
            do {
                let kind = try await transcribe(work, claim, &speed)
                await claim.release()
                return kind
            } catch {
                await claim.release()
                throw error
            }
        } catch let failure as TranscriberFailure {
            throw failure
        } catch is CancellationError {
            return .interrupted(piecesLeft: 0)
        } catch {
            guard let local = LocalFailure(error) else { throw error }
            return .storageFailed(local)
        }
    }

    /// The outcome if nothing is to be done.
    private static func ending(
        _ entry: TranscriptEntry, of episode: Episode, _ options: TranscribeEpisodes.Options
    ) -> TranscriptionOutcome.Kind? {
        if let stored = entry.stored {
            let isComplete = (stored.making?.missingPieces ?? 0) == 0
            if stored.making == nil || isComplete && !options.isAgain { return .present(stored) }
        }
        return TranscribeEpisodes.isOffered(episode, entry) ? .offered : nil
    }

    private func entry() async throws -> TranscriptEntry {
        try await parts.library.transcripts.entries(of: episode.podcastID).entries[episode.id]
            ?? TranscriptEntry(episodeID: episode.id, offer: 0, episodeChangedAt: episode.changedAt, askedAt: parts.clock())
    }

    private mutating func transcribe(
        _ work: any UnfinishedTranscription, _ claim: any TranscriptionClaim, _ speed: inout RecognitionSpeed
    ) async throws -> TranscriptionOutcome.Kind {
        // Another run may have finished it before this one could claim it.
        let entry = try await entry()
        if let kind = Self.ending(entry, of: episode, options) {
            if case .present = kind { try work.remove() }
            return kind
        }
        if options.isAgain, entry.stored?.making?.missingPieces == 0 { try work.forget() }
        for case let retryAt? in [entry.attempts?.retryAt, work.state?.retryAt] where !options.isNamed {
            if TranscribeEpisodes.isWaiting(until: retryAt, parts.clock()) { return .waiting(until: retryAt) }
        }
        let audio: String
        do {
            guard let path = try await findAudio(work) else { return .busy }
            audio = path
        } catch let failure as TranscriptionFailure {
            return try await failed(failure, nil, work)
        }
        let facts = try work.facts(of: audio)
        if let state = work.state, state.audio != facts {
            // Another file than the one that was cut: nothing of it can be used.
            try work.forget()
            try work.removeDecoded()
        }
        let state: TranscriptionState
        do {
            state = try await plan(audio, facts, work)
        } catch TranscriberFailure.notAudio(let words) {
            return try await failed(.notAudio(words: words), facts, work)
        }
        // An earlier run may have been killed while it decoded.
        if abs((try work.decodedLength() ?? 0) - state.duration) > 0.01 {
            follow(.decoding(listed))
            _ = try await parts.decoder.decode(audio, to: work.decoded)
        }
        let run = RecognizePieces(
            parts: parts, listed: listed, options: options, state: state, language: await language(), follow: follow)
        let pieces = try await run(work, claim, &speed)
        // Another machine has taken over.
        guard claim.isHeld else { return .busy }
        return try await end(pieces, state, work, isGivenUp: run.isHopeless(pieces))
    }

    /// If the server refuses the media URL as it would an expired one, the feed is read again, once.
    private mutating func findAudio(_ work: any UnfinishedTranscription) async throws -> String? {
        do {
            return try await FindAudio(parts: parts, listed: listed, politeness: politeness, follow: follow)(work)
        } catch TranscriptionFailure.fetch(let failure) where failure.isOfRefusedMedia {
            let renewal = try await parts.renew([listed], options.refresh, politeness)
            guard let renewed = renewal.renewed.first else {
                throw TranscriptionFailure.fetch(renewal.unchanged.isEmpty ? failure : failure.withSameMediaURL)
            }
            listed = renewed
            return try await FindAudio(parts: parts, listed: listed, politeness: politeness, follow: follow)(work)
        }
    }

    private func plan(
        _ audio: String, _ facts: AudioFacts, _ work: any UnfinishedTranscription
    ) async throws -> TranscriptionState {
        if let state = work.state, !state.pieces.isEmpty { return state }
        follow(.decoding(listed))
        let decoded = try await parts.decoder.decode(audio, to: work.decoded)
        let duration = try work.decodedLength() ?? 0
        let pieces = AudioPiece.pieces(duration: duration, silences: decoded.silences, usual: options.pieceLength)
        guard !pieces.isEmpty else { throw TranscriberFailure.notAudio(words: nil) }
        var state = TranscriptionState(audio: facts, duration: duration, pieces: pieces)
        state.failures = work.state?.failures ?? 0
        try work.store(state)
        return state
    }

    /// The language of the podcast's texts, as a code of two letters.
    private func language() async -> String {
        if let detected = try? await parts.languages.language(of: episode.podcastID) { return detected }
        let declared = try? await parts.library.episodes.channel(of: episode.podcastID)?.language
        return declared.map { String($0.lowercased().prefix { $0.isLetter }) }.flatMap { $0.isEmpty ? nil : $0 } ?? "en"
    }

    /// Notes when to try again.
    ///
    /// - Parameter facts: nil if there is no audio.
    private func failed(
        _ failure: TranscriptionFailure, _ facts: AudioFacts?, _ work: any UnfinishedTranscription
    ) async throws -> TranscriptionOutcome.Kind {
        var state = work.state ?? TranscriptionState(audio: AudioFacts(bytes: 0, hash: 0), duration: 0, pieces: [])
        if let facts { state.audio = facts }
        state.failures = try await failures(state) + 1
        state.retryAt = parts.clock() + Schedule.transcriptionBackoff(failures: state.failures)
        if case .fetch(let failure) = failure {
            if failure.code == .cancelled { return .interrupted(piecesLeft: 0) }
            state.retryAt = max(
                Schedule.retryAfter(failure, now: parts.clock()) ?? parts.clock(),
                parts.clock() + Schedule.downloadBackoff(state.failures))
        }
        if case .paused(let until) = failure { (state.retryAt, state.failures) = (until, state.failures - 1) }
        try work.removeAudio()
        try work.store(state)
        try await note(state)
        return .failed(failure)
    }

    /// The failures so far, here and on other machines that share the library.
    private func failures(_ state: TranscriptionState) async throws -> Int {
        max(state.failures, try await entry().attempts?.failures ?? 0)
    }

    /// Tells other machines when to try again.
    private func note(_ state: TranscriptionState) async throws {
        var entry = try await entry()
        entry.attempts = state.attempts
        var settlement = TranscriptSettlement(listed.podcast)
        settlement.entries = [entry]
        _ = try await parts.library.transcripts.settleAgain([settlement])
    }

    /// Stores what there is, unless pieces are left for the next run.
    private func end(
        _ pieces: [Int: FinishedPiece], _ planned: TranscriptionState, _ work: any UnfinishedTranscription, isGivenUp: Bool
    ) async throws -> TranscriptionOutcome.Kind {
        let left = planned.pieces.count - pieces.count
        guard left == 0 || isGivenUp else { return .interrupted(piecesLeft: left) }
        let failures = pieces.values.sorted { $0.number < $1.number }.compactMap(\.verdict.failure)
        var state = planned
        if let failure = failures.first {
            if isGivenUp || pieces.values.allSatisfy({ $0.verdict.failure != nil && $0.verdict.segments.isEmpty }) {
                return try await failed(.recognizer(failure), state.audio, work)
            }
            state.failures = try await self.failures(state) + 1
            state.retryAt = parts.clock() + Schedule.transcriptionBackoff(failures: state.failures)
        }
        var join = TranscriptJoin()
        for piece in state.pieces { if let finished = pieces[piece.number] { join.add(finished.verdict.segments, of: piece) } }
        let isFinal = failures.isEmpty || state.failures >= TranscriptionState.maxFailures
        if join.segments.isEmpty, isFinal {
            // Remembered, so that it is not tried again every night.
            try work.removeAudio()
            state.retryAt = parts.clock() + Schedule.transcriptionBackoff(failures: .max)
            try work.store(state)
            try await note(state)
            return .silent
        }
        var making = TranscriptMaking(program: parts.recognizer.name, audio: state.audio)
        making.enclosureLength = episode.item.chosenEnclosure?.length
        making.missingPieces = isFinal ? 0 : failures.count
        let spent = pieces.values.reduce(0) { $0 + $1.seconds }
        making.speed = spent > 0 ? (state.duration / spent * 10).rounded() / 10 : nil
        let kind = try await store(join.segments, making, isFinal ? nil : state.attempts)
        if isFinal {
            try work.remove()
        } else {
            try work.removeAudio()
            try work.store(state)
        }
        return kind
    }

    /// A published transcript that came meanwhile wins.
    private func store(
        _ segments: [TranscriptSegment], _ making: TranscriptMaking, _ attempts: TranscriptionAttempts?
    ) async throws -> TranscriptionOutcome.Kind {
        var entry = try await entry()
        if let stored = entry.stored, stored.making == nil { return .present(stored) }
        var source = TranscriptSource()
        source.language = await language()
        source.at = parts.clock()
        source.segments = segments.count
        source.making = making
        entry.stored = source
        entry.attempts = attempts
        var settlement = TranscriptSettlement(listed.podcast)
        settlement.entries = [entry]
        settlement.segments[episode.id] = segments
        let stored = try await parts.library.transcripts.settleAgain([settlement])
        if let index = parts.index, !stored.isEmpty {
            let channel = try await parts.library.episodes.channel(of: episode.podcastID) ?? Channel()
            // An index that cannot be written now is brought in line by a later run.
            try? await index.apply(stored, [episode.podcastID: [episode]], parts.library.transcripts) { _ in channel }
        }
        return .transcribed(source, missing: making.missingPieces)
    }
}

extension TranscriptionState {
    fileprivate var attempts: TranscriptionAttempts? {
        retryAt.map { TranscriptionAttempts(failures: failures, retryAt: $0) }
    }
}
