import Domain
import Records
import Synchronization

/// A claim on an episode that is transcribed: an entry with an expiry time, which is renewed until it is released.
final class TranscriptionLease: TranscriptionClaim {
    private let owner: OwnerWriter
    private let episode: EpisodeID
    private let holder: UInt64
    private let seconds: Int64
    private let validUntil: Mutex<ContinuousClock.Instant>
    private let renewal = Mutex<Task<Void, Never>?>(nil)

    /// - Returns: nil if another machine has it.
    static func take(
        _ episode: EpisodeID, by holder: UInt64, seconds: Int64, _ owner: OwnerWriter
    ) async throws -> TranscriptionLease? {
        let lease = TranscriptionLease(episode, holder, seconds, owner)
        guard try await lease.extend() else { return nil }
        lease.keepRenewing()
        return lease
    }

    private init(_ episode: EpisodeID, _ holder: UInt64, _ seconds: Int64, _ owner: OwnerWriter) {
        (self.episode, self.holder, self.seconds, self.owner) = (episode, holder, seconds, owner)
        validUntil = Mutex(.now)
    }

    deinit { renewal.withLock { $0?.cancel() } }

    /// A lease counts as ended a little before others may take it.
    var isHeld: Bool { validUntil.withLock { $0 > .now } }

    private func keepRenewing() {
        let interval = Duration.milliseconds(seconds * 300)
        let task = Task { [weak self] in
            while (try? await Task.sleep(for: interval)) != nil, let lease = self {
                // An unreachable database is tried again, as long as the lease is valid.
                if (try? await lease.extend()) == false { return }
            }
        }
        renewal.withLock { $0 = task }
    }

    /// - Returns: false if another machine has it.
    private func extend() async throws -> Bool {
        let start = ContinuousClock.now
        let isOurs = try await change { claims, now in
            if claims.contains(where: { $0.episode == episode && $0.holder != holder }) { return false }
            claims.removeAll { $0.episode == episode }
            claims.append(Claim(episode: episode, holder: holder, until: now + seconds))
            return true
        }
        validUntil.withLock { $0 = isOurs ? start + .milliseconds(seconds * 900) : .now }
        return isOurs
    }

    func release() async {
        renewal.withLock { $0?.cancel() }
        guard isHeld else { return }
        // If it fails, the claim expires.
        _ = try? await change { claims, _ in
            claims.removeAll { $0.episode == episode && $0.holder == holder }
            return true
        }
    }

    // MARK: The list

    private struct Claim: Equatable, ReadableFields {
        var episode = EpisodeID.unknown
        var holder: UInt64 = 0
        var until = Timestamp(seconds: 0)

        var isWhole: Bool { episode != .unknown }

        mutating func list<L: FieldList>(_ list: inout L) {
            list.text("episode", &episode)
            list.hash("holder", &holder)
            list.time("until", &until)
        }
    }

    /// Changes the claims that are valid, if `change` returns true.
    private func change(_ change: (inout [Claim], Timestamp) -> Bool) async throws -> Bool {
        let document = OwnerDocument.transcribing
        return try await owner.write(reading: [document.read]) { rows in
            let now = owner.time.now
            let stored = try document.list(rows[0]) { try Claim(from: &$0) }
            var claims = stored.filter { $0.until > now }
            guard change(&claims, now) else { return ([], false) }
            let isSame = claims == stored
            return (isSame ? [] : [document.write { $0.entries(claims) { $0.write(to: &$1) } }], true)
        }
    }
}
