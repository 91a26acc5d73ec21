import CProcess
import Composition
import Glibc

/// Pictures of strangers are decoded by `vipsthumbnail` in a process with little memory and little time, which can do no
/// harm here if a picture is made to crash or fill it.
enum Thumbnails {
    /// Bytes of address space, and seconds of a processor.
    private static let (memory, seconds) = (1 << 30, 10)

    /// Writes the picture in all sizes as `NAME-SIZE.webp`. False if that failed.
    static func make(of picture: [UInt8], at name: String, in folder: String) async -> Bool {
        let source = "\(name).new"
        let descriptor = open(source, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        defer { unlink(source) }
        let failure = writeAll(picture, to: descriptor)
        close(descriptor)
        guard failure == nil else { return false }
        for size in Covers.Size.allCases {
            let (goal, made) = ("\(name)-\(size.rawValue).webp", "\(name)-\(size.rawValue).tmp.webp")
            defer { unlink(made) }
            let command = [
                "prlimit", "--as=\(memory)", "--cpu=\(seconds)", "--fsize=\(8 << 20)", "--nofile=64", "--core=0", "timeout", "20",
                "vipsthumbnail", source, "--size", "\(size.rawValue)x\(size.rawValue)>", "--export-profile", "srgb",
                "-o", "\(made)[Q=80,strip]",
            ]
            guard await run(command), rename(made, goal) == 0 else { return false }
        }
        return true
    }

    /// Without anything of ours: no descriptors, an empty environment.
    private static func run(_ words: [String]) async -> Bool {
        await onThread {
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
                posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
            }
            close_others_in_child(&actions)
            var process = pid_t()
            let argv: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
            let environment: [UnsafeMutablePointer<CChar>?] = [
                strdup("PATH=/usr/bin:/bin"), strdup("VIPS_CONCURRENCY=1"), strdup("VIPS_BLOCK_UNTRUSTED=1"), nil,
            ]
            defer { (argv + environment).forEach { free($0) } }
            guard posix_spawnp(&process, words[0], &actions, nil, argv, environment) == 0 else { return false }
            var status: Int32 = 0
            while waitpid(process, &status, 0) == -1 { guard errno == EINTR else { return false } }
            return status == 0
        } ?? false
    }
}
