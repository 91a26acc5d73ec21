import Composition
import Domain
import FileSystem
import Glibc
import Hummingbird
import Presentation

/// The covers of podcasts and episodes: fetched once, scaled down by a separate process, and stored in the cache up to a
/// total size.
actor Covers {
    enum Size: Int, CaseIterable, Sendable {
        case small = 128
        case large = 512
    }

    /// What came of fetching a picture.
    enum Picture: Sendable {
        case bytes([UInt8])
        /// The server could not be reached, or asked for a pause.
        case later
        case none
    }

    enum Cover: Sendable {
        case file(path: String)
        /// It is still being fetched, waits for others, or its server will be asked again soon.
        case coming
        case none
    }

    private struct Waiting {
        var isFetching = false
        var requests: [Int: CheckedContinuation<Void, Never>] = [:]
        let picture: @Sendable () async -> Picture
    }

    private let folder: String
    /// Covers that are being fetched or wait for their turn, by the name of their files.
    private var waiting: [String: Waiting] = [:]
    /// The names that wait, in the order in which they were asked for.
    private var turns: [String] = []
    private var requests = 0
    /// When a picture that could not be fetched may be tried again, and whether that is soon.
    private var retries: [String: (at: Timestamp, isSoon: Bool)] = [:]

    private static let maxBytes = 256 << 20
    private static let maxAtOnce = 4
    private static let retrySeconds: Int64 = 6 * 3_600
    /// For a server that could not be reached: as long as `PoliteRuns` remembers it.
    private static let soonSeconds: Int64 = 60
    /// A browser has few connections, which must not all wait for slow servers.
    private static let maxWait = Duration.seconds(3)

    init(folder: String) { self.folder = folder }

    /// A cover, or a wait of at most `maxWait` for it.
    ///
    /// - Parameters:
    ///   - owner: the id of the podcast or episode.
    ///   - picture: fetches the picture's bytes.
    func cover(
        of owner: String, url: String, _ size: Size, now: Timestamp, picture: @escaping @Sendable () async -> Picture
    ) async -> Cover {
        let name = "\(folder)/\(owner)-\(String(XXH64.hash(url.utf8), radix: 36))"
        let path = "\(name)-\(size.rawValue).webp"
        if access(path, R_OK) == 0 { return .file(path: path) }
        if let retry = retries[name], retry.at > now { return retry.isSoon ? .coming : .none }
        if waiting[name] == nil {
            waiting[name] = Waiting(picture: picture)
            turns.append(name)
            begin(now: now)
        }
        await wait(for: name)
        if access(path, R_OK) == 0 { return .file(path: path) }
        return waiting[name] == nil && retries[name]?.isSoon != true ? .none : .coming
    }

    /// Begins to fetch what is next, if fewer than `maxAtOnce` are being fetched.
    private func begin(now: Timestamp) {
        while waiting.values.count(where: \.isFetching) < Self.maxAtOnce, !turns.isEmpty {
            let name = turns.removeFirst()
            guard let picture = waiting[name]?.picture else { continue }
            waiting[name]?.isFetching = true
            Task { [folder] in
                let picture = await picture()
                let isMade = await Self.make(name, in: folder, of: picture)
                let isSoon = if case .later = picture { true } else { false }
                end(name, retry: isMade ? nil : (now + (isSoon ? Self.soonSeconds : Self.retrySeconds), isSoon), now: now)
            }
        }
    }

    private static func make(_ name: String, in folder: String, of picture: Picture) async -> Bool {
        guard case .bytes(let bytes) = picture else { return false }
        makeFolders(above: name)
        guard await Thumbnails.make(of: bytes, at: name, in: folder) else { return false }
        CoverCache.trim(folder, to: maxBytes)
        return true
    }

    private func end(_ name: String, retry: (at: Timestamp, isSoon: Bool)?, now: Timestamp) {
        retries[name] = retry
        let requests = waiting.removeValue(forKey: name)?.requests ?? [:]
        for request in requests.values { request.resume() }
        begin(now: now)
    }

    private func wait(for name: String) async {
        requests += 1
        let number = requests
        let timeout = Task {
            try await Task.sleep(for: Self.maxWait)
            waiting[name]?.requests.removeValue(forKey: number)?.resume()
        }
        await withCheckedContinuation { waiting[name]?.requests[number] = $0 }
        timeout.cancel()
    }
}

/// Removes the oldest pictures if their total size exceeds the limit.
enum CoverCache {
    static func trim(_ folder: String, to maxBytes: Int) {
        var files: [(path: String, bytes: Int, time: Int)] = []
        for name in folderNames(folder) ?? [] {
            var facts = stat()
            guard name.hasSuffix(".webp"), stat("\(folder)/\(name)", &facts) == 0 else { continue }
            files.append(("\(folder)/\(name)", Int(facts.st_size), facts.st_mtim.tv_sec))
        }
        var total = files.reduce(0) { $0 + $1.bytes }
        for file in files.sorted(by: { $0.time < $1.time }) where total > maxBytes {
            unlink(file.path)
            total -= file.bytes
        }
    }
}
