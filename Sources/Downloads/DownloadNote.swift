import Domain
import FileSystem
import Glibc

/// A note on an unfinished file: the episode it belongs to, and the server's version of it.
struct DownloadNote {
    var episode: String
    var source: MediaSourceState

    /// The path of the note, next to the file. Its name is short, since the file's name may be as long as names can be.
    static func path(for file: String) -> String {
        let folder = file.containingFolder ?? "."
        return "\(folder)/.jimmy-" + String(XXH64.hash(file.dropFirst(folder.count + 1).utf8), radix: 36)
    }

    /// Reads four lines: the episode's id, URL, ETag, Last-Modified. The last two are header values, which cannot
    /// contain line ends.
    static func read(for file: String) -> DownloadNote? {
        let descriptor = open(path(for: file), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return nil }
        let lines = String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        // The final line end shows that the note is complete.
        guard lines.count == 5 else { return nil }
        func value(_ line: Substring) -> String? { line.isEmpty ? nil : String(line) }
        return DownloadNote(
            episode: String(lines[0]),
            source: MediaSourceState(url: String(lines[1]), etag: value(lines[2]), lastModified: value(lines[3])))
    }

    func write(to name: String) throws {
        let text = [episode, source.url, source.etag ?? "", source.lastModified ?? ""]
            .map { $0.replacing("\n", with: "") + "\n" }.joined()
        let descriptor = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw LibraryFailure.io(file: name, operation: "open", errno: errno) }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
            throw LibraryFailure.io(file: name, operation: "write", errno: errno == 0 ? ENOSPC : errno)
        }
    }
}
