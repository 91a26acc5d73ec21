public import Domain
internal import Glibc

/// A player on jimmy's own terminal.
public struct PlayerProcess: MediaPlayer {
    private let command: PlayerCommand
    private let isInterrupted: @Sendable () -> Bool

    /// - Parameter isInterrupted: true once this program was asked to end. The player ends as well then.
    public init(_ command: PlayerCommand, isInterrupted: @escaping @Sendable () -> Bool = { false }) {
        self.command = command
        self.isInterrupted = isInterrupted
    }

    /// Between two looks whether it has ended.
    private static let tick = Duration.milliseconds(100)
    /// Ticks between two questions where it is.
    private static let ticksPerQuestion = 2
    /// Ticks after which a player that does not listen is measured by its time.
    private static let ticksToConnect = 50
    /// Ticks after an interrupt, which a terminal sends to the player as well, until the player is told to end, and until it
    /// is killed.
    private static let (ticksToEnd, ticksToKill) = (10, 40)

    public func play(
        _ request: PlayRequest, report: @escaping @Sendable (PlayerReport) async -> Void
    ) async -> PlayerOutcome {
        let folder = command.isControlled ? ControlFolder() : nil
        defer { folder?.remove() }
        let (exit, end) = await Child.run(command.arguments(request, control: folder?.socket)) { process in
            await follow(process, folder.map { ControlSocket($0.socket) }, request, report)
        }
        var outcome = PlayerOutcome(exit)
        outcome.isInterrupted = isInterrupted()
        if let end { (outcome.isFollowed, outcome.isAtEnd) = end }
        return outcome
    }

    private func follow(
        _ process: ProcessState, _ socket: ControlSocket?, _ request: PlayRequest, _ report: (PlayerReport) async -> Void
    ) async -> (isFollowed: Bool, isAtEnd: Bool) {
        var timed = TimedFollower(request) { process.current == .running }
        var follower = follower(socket, request)
        var (ticks, ticksSinceInterrupt) = (0, 0)
        while process.current != .ended {
            if ticks % Self.ticksPerQuestion == 0 || socket?.isConnected == false {
                var answer = follower?.ask()
                let time = timed.ask()
                if socket?.isConnected != true, follower == nil || ticks >= Self.ticksToConnect { answer = time }
                if let answer { await report(answer) }
            }
            ticks += 1
            if isInterrupted() {
                ticksSinceInterrupt += 1
                if ticksSinceInterrupt == Self.ticksToEnd { kill(process.id, SIGTERM) }
                if ticksSinceInterrupt == Self.ticksToKill { kill(process.id, SIGKILL) }
            }
            try? await Task.sleep(for: Self.tick)
        }
        // What it said last may not be read yet. VLC, which was too fast to listen, ends with 0 even if it played nothing.
        let isTimed = socket?.isConnected != true && command.kind != .vlc
        if let answer = isTimed ? timed.read() : follower?.read() { await report(answer) }
        return (follower?.isFollowing ?? false, follower?.isAtEnd ?? false)
    }

    private func follower(_ socket: ControlSocket?, _ request: PlayRequest) -> (any PlayerFollower)? {
        guard let socket else { return nil }
        return command.kind == .mpv ? MPVFollower(socket) : VLCFollower(socket, speed: request.speed)
    }
}

/// A child that was started and not waited for yet, so that its number stays its own.
struct ProcessState {
    enum State { case running, stopped, ended }

    let id: pid_t

    /// As the kernel says; see proc(5).
    var current: State {
        guard let file = fopen("/proc/\(id)/stat", "r") else { return .ended }
        defer { fclose(file) }
        var buffer = [UInt8](repeating: 0, count: 512)
        let count = fread(&buffer, 1, buffer.count, file)
        // The program's name, in brackets, may contain anything.
        guard let name = buffer[..<count].lastIndex(of: UInt8(ascii: ")")), name + 2 < count else { return .ended }
        return switch buffer[name + 2] {
        case UInt8(ascii: "T"), UInt8(ascii: "t"): .stopped
        case UInt8(ascii: "Z"), UInt8(ascii: "X"): .ended
        default: .running
        }
    }
}
