import Composition
import Domain
import FileSystem
import Glibc
import Processes

/// Scales down pictures. They come from strangers, so `vipsthumbnail` decodes them in a process with limited memory and
/// time, where a malicious picture can do no harm.
enum Thumbnails {
    /// Bytes of address space, and seconds of CPU time.
    private static let (memory, seconds) = (1 << 30, 10)
    private static let environment = ["PATH": "/usr/bin:/bin", "VIPS_CONCURRENCY": "1", "VIPS_BLOCK_UNTRUSTED": "1"]

    /// Writes the picture in all sizes as `NAME-SIZE.webp`. Returns false if that failed.
    static func make(of picture: [UInt8], at name: String, in folder: String) async -> Bool {
        let source = "\(name).new"
        let descriptor = open(source, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        defer { unlink(source) }
        let failure = writeAll(picture, to: descriptor)
        close(descriptor)
        guard failure == nil else { return false }
        for size in Covers.Size.allCases {
            let (target, temporary) = ("\(name)-\(size.rawValue).webp", "\(name)-\(size.rawValue).tmp.webp")
            defer { unlink(temporary) }
            let command = [
                "prlimit", "--as=\(memory)", "--cpu=\(seconds)", "--fsize=\(8 << 20)", "--nofile=64", "--core=0", "timeout", "20",
                "vipsthumbnail", source, "--size", "\(size.rawValue)x\(size.rawValue)>", "--export-profile", "srgb",
                "-o", "\(temporary)[Q=80,strip]",
            ]
            guard await Child.runApart(command, variables: environment) == .ended(0), rename(temporary, target) == 0 else {
                return false
            }
        }
        return true
    }
}
