public import Domain
internal import CFiles
internal import Glibc

/// The unfinished transcriptions of a library, in a folder of the cache. Front door of this module.
///
/// ```
/// holder                 a number that identifies this machine among those that share the library
/// EPISODE/lock           held by the run that works on it
///         plan           the audio's hash, and where it is cut
///         piece-7        lines of a finished piece
///         audio.mp3      fetched, if the episode is not downloaded
///         decoded        samples
///         cut-7/         what the recogniser reads and writes
/// ```
public struct TranscriptionFolder: TranscriptionStore {
    let path: String

    public init(_ path: String) { self.path = path }

    public func open(_ episode: EpisodeID) throws -> (any UnfinishedTranscription)? {
        let folder = try self.folder(of: episode)
        while true {
            try Files.makeFolders(folder)
            let descriptor: Int32
            do {
                guard let held = try Self.lock(folder + "/lock") else { return nil }
                descriptor = held
            } catch LibraryFailure.io(_, _, ENOENT) {
                // Another run has just removed the folder.
                continue
            }
            var (held, named) = (stat(), stat())
            if fstat(descriptor, &held) == 0, stat(folder + "/lock", &named) == 0, held.st_ino == named.st_ino {
                return Transcription(folder, lock: descriptor)
            }
            close(descriptor)
        }
    }

    public func takeTurn() throws -> (any AnyObject & Sendable)? {
        try Files.makeFolders(path)
        return try Self.lock(path + "/turn").map { Turn($0) }
    }

    public func holder() throws -> UInt64 {
        try Files.makeFolders(path)
        let bytes = try Files.create(path + "/holder", Array(String(UInt64.random(in: 1 ... .max), radix: 16).utf8))
        // What is damaged still tells machines apart.
        return UInt64(String(decoding: bytes, as: UTF8.self), radix: 16) ?? XXH64.hash(bytes)
    }

    /// nil if another run holds it.
    private static func lock(_ path: String) throws -> Int32? {
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Files.failure(path, "open") }
        guard flock_exclusive(descriptor) == 0 || errno != EWOULDBLOCK else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    private final class Turn: Sendable {
        private let lock: Int32

        init(_ lock: Int32) { self.lock = lock }

        deinit { close(lock) }
    }

    public func state(of episode: EpisodeID) throws -> TranscriptionState? {
        try TranscriptionRecords.state(in: try folder(of: episode))
    }

    public func progress(of episode: EpisodeID) throws -> (finished: Int, pieces: Int)? {
        guard let state = try state(of: episode), !state.pieces.isEmpty else { return nil }
        let names = Set(try Files.names(in: try folder(of: episode)))
        return (state.pieces.count { names.contains(TranscriptionRecords.name($0.number)) }, state.pieces.count)
    }

    public func episodes() throws -> [EpisodeID] {
        // A name with a dot is a folder that another run is removing.
        try Files.names(in: path).filter { $0 != "turn" && !$0.hasPrefix(".") }.compactMap(EpisodeID.init(text:)).sorted()
    }

    public func remove(_ episode: EpisodeID) throws {
        guard access(try folder(of: episode), F_OK) == 0 else { return }
        try open(episode)?.remove()
    }

    private func folder(of episode: EpisodeID) throws -> String {
        // An id comes from a file of the library, and becomes part of a path here.
        guard !episode.text.contains("/"), !episode.text.hasPrefix(".") else {
            throw LibraryFailure.io(file: episode.text, operation: "open", errno: EINVAL)
        }
        return "\(path)/\(episode.text)"
    }
}
