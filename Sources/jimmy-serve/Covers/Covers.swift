import Composition
import Domain
import Glibc
import Hummingbird
import Presentation

/// The covers of podcasts: fetched once, scaled down by a separate process, and stored in the cache up to a total size.
actor Covers {
    enum Size: Int, CaseIterable, Sendable {
        case small = 128
        case large = 512
    }

    private let folder: String
    /// Covers that are being fetched.
    private var tasks: [PodcastID: Task<Bool, Never>] = [:]
    /// When a picture that could not be fetched may be tried again.
    private var retryAt: [PodcastID: Timestamp] = [:]

    private static let maxBytes = 256 << 20
    private static let maxAtOnce = 4
    private static let retrySeconds: Int64 = 6 * 3_600

    init(folder: String) { self.folder = folder }

    /// The path of a cover; nil if there is none yet.
    ///
    /// - Parameter picture: fetches the picture's bytes.
    func file(
        of podcast: PodcastID, url: String, _ size: Size, now: Timestamp, picture: @escaping @Sendable () async -> [UInt8]?
    ) async -> String? {
        let name = "\(folder)/\(podcast.text)-\(String(XXH64.hash(url.utf8), radix: 36))"
        let path = "\(name)-\(size.rawValue).webp"
        if access(path, R_OK) == 0 { return path }
        if let retry = retryAt[podcast], retry > now { return nil }
        if let task = tasks[podcast] { return await task.value ? path : nil }
        guard tasks.count < Self.maxAtOnce else { return nil }
        let folder = folder
        let task = Task.detached {
            guard let bytes = await picture() else { return false }
            makeFolders(above: name)
            guard await Thumbnails.make(of: bytes, at: name, in: folder) else { return false }
            CoverCache.trim(folder, to: Self.maxBytes)
            return true
        }
        tasks[podcast] = task
        let isMade = await task.value
        tasks[podcast] = nil
        retryAt[podcast] = isMade ? nil : now + Self.retrySeconds
        return isMade ? path : nil
    }
}

/// Removes the oldest pictures if their total size exceeds the limit.
enum CoverCache {
    static func trim(_ folder: String, to most: Int) {
        guard let stream = opendir(folder) else { return }
        defer { closedir(stream) }
        var files: [(path: String, bytes: Int, time: Int)] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            var facts = stat()
            guard name.hasSuffix(".webp"), stat("\(folder)/\(name)", &facts) == 0 else { continue }
            files.append(("\(folder)/\(name)", Int(facts.st_size), facts.st_mtim.tv_sec))
        }
        var total = files.reduce(0) { $0 + $1.bytes }
        for file in files.sorted(by: { $0.time < $1.time }) where total > most {
            unlink(file.path)
            total -= file.bytes
        }
    }
}
