import Glibc
import LoopbackServer

/// `serve-fixtures FOLDER [SECONDS]`: serves a folder of feeds on a free loopback port, prints the URL, and stops when
/// its standard input ends or after SECONDS (600). Requests are logged on standard error.
@main
enum Serve {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 2 else {
            write("usage: serve-fixtures FOLDER [SECONDS]\n", to: STDERR_FILENO)
            exit(64)
        }
        let site = FixtureSite(folder: arguments[1])
        let server = try LoopbackServer()
        server.on("*") { request in
            let reply = site.reply(to: request)
            write("\(request.method) \(request.path) \(reply.status)\n", to: STDERR_FILENO)
            return reply
        }
        write(server.url + "\n", to: STDOUT_FILENO)
        let end = time(nil) + (arguments.count > 2 ? Int(arguments[2]) ?? 600 : 600)
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        var bytes = [UInt8](repeating: 0, count: 256)
        while time(nil) < end {
            if poll(&input, 1, Int32(1_000 * (end - time(nil)))) > 0, read(STDIN_FILENO, &bytes, bytes.count) <= 0 { break }
        }
        server.stop()
    }

    private static func write(_ text: String, to descriptor: Int32) {
        let bytes = Array(text.utf8)
        _ = Glibc.write(descriptor, bytes, bytes.count)
    }
}
