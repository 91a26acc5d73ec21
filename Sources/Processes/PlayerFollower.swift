import Domain
import JSON

/// Reads where a player is, without waiting.
protocol PlayerFollower {
    /// True once a position came from the player itself.
    var isFollowing: Bool { get }
    /// True once the player has come to the end of the media.
    var isAtEnd: Bool { get }
    /// Asks the player, and returns what it reported since the last call; nil for nothing new.
    mutating func ask() -> PlayerReport?
    /// What arrived last.
    mutating func read() -> PlayerReport?
}

/// mpv, through its JSON IPC; https://mpv.io/manual/stable/#json-ipc
struct MPVFollower: PlayerFollower {
    private let socket: ControlSocket
    private(set) var isFollowing = false
    private(set) var isAtEnd = false
    private var hasEnded = false
    private var duration: Double?
    private var speed = 1.0

    init(_ socket: ControlSocket) { self.socket = socket }

    private static let properties = ["speed", "duration", "time-pos"]

    mutating func ask() -> PlayerReport? {
        guard socket.connect() else { return nil }
        let report = read()
        _ = socket.send(
            Self.properties.enumerated().map {
                #"{"command":["get_property","\#($0.element)"],"request_id":\#($0.offset + 1)}"# + "\n"
            }.joined())
        return report
    }

    mutating func read() -> PlayerReport? {
        var report: PlayerReport?
        for line in socket.lines() {
            guard let message = Message(line) else { continue }
            if message.event == "end-file", message.reason != "redirect", !hasEnded {
                hasEnded = true
                isAtEnd = message.reason == "eof"
            }
            guard !hasEnded, let number = message.number else { continue }
            isFollowing = true
            switch message.request {
            case 1: speed = number
            case 2: duration = number
            case 3: report = PlayerReport(seconds: number, duration: duration, speed: speed)
            default: break
            }
        }
        return report
    }

    /// An answer or an event.
    private struct Message {
        var event: String?
        var reason: String?
        var request: Int?
        var number: Double?

        /// nil for anything else.
        init?(_ line: [UInt8]) {
            var json = JSONReader(line)
            do {
                try json.object { json, key in
                    switch (key, try json.peek()) {
                    case ("event", .string): event = try json.string()
                    case ("reason", .string): reason = try json.string()
                    case ("request_id", .number): request = try json.integer()
                    case ("data", .number): number = try json.number()
                    default: _ = try json.skip()
                    }
                }
            } catch {
                return nil
            }
        }
    }
}

/// VLC, through its remote control interface.
struct VLCFollower: PlayerFollower {
    private let socket: ControlSocket
    private(set) var isFollowing = false
    private(set) var isAtEnd = false
    private let speed: Double
    private var duration: Double?
    /// Answers to come; they are numbers without names.
    private var questions: [Question] = []

    private enum Question { case length, time }

    init(_ socket: ControlSocket, speed: Double) {
        self.socket = socket
        self.speed = speed
    }

    mutating func ask() -> PlayerReport? {
        guard socket.connect() else { return nil }
        let report = read()
        // A stopped player must not find thousands of questions when it goes on.
        if questions.isEmpty, socket.send("get_length\nget_time\n") { questions = [.length, .time] }
        return report
    }

    mutating func read() -> PlayerReport? {
        var report: PlayerReport?
        for line in socket.lines() {
            let line = String(decoding: line, as: UTF8.self).filter { $0 != "\r" && $0 != "\r\n" }
            if line.hasPrefix("status change:"), line.hasSuffix(": End") { isAtEnd = true }
            guard let number = Double(line), !questions.isEmpty else { continue }
            switch questions.removeFirst() {
            case .length: duration = number > 0 ? number : nil
            case .time where !isAtEnd && duration != nil:
                isFollowing = true
                report = PlayerReport(seconds: number, duration: duration, speed: speed)
            case .time: break
            }
        }
        return report
    }
}

/// Any other player: the time for which it ran, while it was not stopped, times the speed that was asked for.
struct TimedFollower: PlayerFollower {
    let isFollowing = false
    let isAtEnd = false
    private var seconds: Double
    private let speed: Double
    private let clock = SuspendingClock()
    private var last: SuspendingClock.Instant
    private let isRunning: () -> Bool

    /// Seconds; a longer step means that this program was stopped itself.
    private static let maxStep = 2.0

    init(_ request: PlayRequest, isRunning: @escaping () -> Bool) {
        (seconds, speed, self.isRunning) = (request.start, request.speed, isRunning)
        last = clock.now
    }

    mutating func ask() -> PlayerReport? { read() }

    mutating func read() -> PlayerReport? {
        let now = clock.now
        let step = last.duration(to: now) / .seconds(1)
        last = now
        if isRunning() { seconds += min(step, Self.maxStep) * speed }
        return PlayerReport(seconds: seconds, duration: nil, speed: speed)
    }
}
