public import Domain
internal import FileSystem
internal import Glibc

/// Writes tags by `ffmpeg`, in a process of its own: files come from strangers. Audio and video are copied as they are.
public struct FFmpegTagWriter: MediaTagWriting {
    public static let program = "ffmpeg"

    public init() {}

    /// Formats that have tags, and whether they can hold a cover.
    private static let formats = [
        "mp3": true, "m4a": true, "m4b": true, "mp4": false, "m4v": false, "mov": false, "flac": true, "ogg": false,
        "opus": false, "mka": false, "mkv": false, "webm": false,
    ]

    public func write(_ tags: MediaTags, into file: DownloadedFile) async throws -> DownloadedFile {
        let ext = file.path.split(separator: ".").last.map { $0.lowercased() } ?? ""
        guard let takesCover = Self.formats[ext] else { return file }
        let folder = file.path.containingFolder ?? "."
        let base = "\(folder)/.jimmy-tags-" + String(XXH64.hash(file.path.utf8), radix: 36)
        let (chapters, cover, output) = (base + ".txt", base + ".cover", "\(base).\(ext)")
        defer { for name in [chapters, cover, output] { unlink(name) } }

        var arguments = ["-i", "file:" + file.path]
        var maps = ["-map", "0:a"]
        var inputs = 1
        if !tags.chapters.isEmpty {
            try save(Array(Self.metadata(of: tags).utf8), as: chapters)
            arguments += ["-f", "ffmetadata", "-i", "file:" + chapters]
            maps += ["-map_chapters", "\(inputs)"]
            inputs += 1
        }
        if takesCover, let picture = tags.cover {
            try save(picture, as: cover)
            arguments += ["-f", "image2", "-i", "file:" + cover]
            maps += [
                "-map", "\(inputs):v", "-disposition:v:0", "attached_pic", "-metadata:s:v:0", "comment=Cover (front)",
            ]
        } else {
            maps += ["-map", "0:v?"]
        }
        let command =
            [Self.program, "-nostdin", "-v", "error", "-y", "-protocol_whitelist", "file"] + arguments + maps
            + ["-map_metadata", "0", "-c", "copy"] + Self.options(tags) + ["file:" + output]
        let variables = ["PATH": getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"]
        switch await Child.runApart(command, variables: variables) {
        case .ended(0): break
        case .ended(let status): throw MediaTagFailure.program(name: Self.program, status: status)
        case .notStarted: throw MediaTagFailure.program(name: Self.program, status: nil)
        }
        return try replace(file, by: output)
    }

    /// Ogg has the tags of a file in its streams.
    private static func options(_ tags: MediaTags) -> [String] {
        let pairs = [
            ("title", tags.title), ("album", tags.podcast), ("artist", tags.author), ("genre", "Podcast"),
            ("date", tags.publishedAt.map { String($0.description.prefix(10)) }),
        ]
        return pairs.flatMap { name, value -> [String] in
            // An argument ends at a zero.
            guard let value = value?.replacing("\0", with: " "), !value.isEmpty else { return [] }
            return ["-metadata", "\(name)=\(value)", "-metadata:s:a:0", "\(name)=\(value)"]
        }
    }

    /// Chapters in the form that ffmpeg reads, in milliseconds.
    static func metadata(of tags: MediaTags) -> String {
        let starts = tags.chapters.map { Int(min(max($0.start, 0), 1e9) * 1_000) }
        var text = ";FFMETADATA1\n"
        for (index, chapter) in tags.chapters.enumerated() {
            let next = index + 1 < starts.count ? starts[index + 1] : Int(min(max(tags.duration ?? 0, 0), 1e9) * 1_000)
            text += "[CHAPTER]\nTIMEBASE=1/1000\nSTART=\(starts[index])\nEND=\(max(next, starts[index] + 1))\n"
            text += "title=\(escaped(chapter.title))\n"
        }
        return text
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text.replacing("\0", with: " ") {
            if "=;#\\\n".contains(character) { result.append("\\") }
            result.append(character)
        }
        return result
    }

    private func save(_ bytes: [UInt8], as path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw MediaTagFailure.io(errno: errno) }
        defer { close(descriptor) }
        if let error = writeAll(bytes, to: descriptor) { throw MediaTagFailure.io(errno: error) }
    }

    /// Gives the new file the mode, the date and the name of the old one, once it is durable.
    private func replace(_ file: DownloadedFile, by output: String) throws -> DownloadedFile {
        var (old, new) = (stat(), stat())
        let descriptor = open(output, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw MediaTagFailure.io(errno: errno) }
        defer { close(descriptor) }
        guard stat(file.path, &old) == 0, fchmod(descriptor, old.st_mode & 0o777) == 0 else {
            throw MediaTagFailure.io(errno: errno)
        }
        let time = timespec(tv_sec: Int(file.modifiedAt.seconds), tv_nsec: 0)
        // A file system that cannot store the date must not cost the tags.
        _ = futimens(descriptor, [time, time])
        guard fsync(descriptor) == 0, fstat(descriptor, &new) == 0, rename(output, file.path) == 0 else {
            throw MediaTagFailure.io(errno: errno)
        }
        return DownloadedFile(
            path: file.path, bytes: Int(new.st_size), modifiedAt: Timestamp(seconds: Int64(new.st_mtim.tv_sec)))
    }
}
