import Foundation
import Glibc
import ProgramSupport
import Synchronization
import Testing

/// Debian's Chromium without a window, driven over the pipe of its DevTools protocol.
///
/// `JIMMY_NO_BROWSER` says that it cannot be installed here: the tests that need it are then skipped.
final class Browser {
    /// The program; nil if there is none.
    static let program: String? = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].first { access($0, X_OK) == 0 }

    private let process: pid_t
    private let commands: Int32
    private let answers: Int32
    private let folder: String
    private var received: [UInt8] = []
    private var number = 0
    private var session: String?
    /// Errors that pages wrote on their console, exceptions, and requests that the policy refused.
    private(set) var errors: [String] = []
    /// The data of the drag in progress.
    private var dragged: [String: Any]?
    /// The URLs of all requests that left the browser.
    private(set) var requests: [String] = []

    init() throws {
        guard let program = Self.program else { throw TestFailure("no chromium") }
        var template = Array("/tmp/jimmy-browser-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw TestFailure("mkdtemp: \(errno)") }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        var (input, output): ([Int32], [Int32]) = ([0, 0], [0, 0])
        guard pipe(&input) == 0, pipe(&output) == 0 else { throw TestFailure("pipe: \(errno)") }
        (commands, answers) = (input[1], output[0])
        for end in [input[1], output[0]] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        process = try Self.start(program, profile: folder, reading: input[0], writing: output[1])
        close(input[0])
        close(output[1])
        try openTab()
    }

    /// Opens a tab, in which everything happens from now on. Returns what `use` takes to come back.
    @discardableResult
    func openTab() throws -> String? {
        let former = session
        session = nil
        let target = try command("Target.createTarget", ["url": "about:blank"])
        let attached = try command("Target.attachToTarget", ["targetId": target["targetId"] ?? "", "flatten": true])
        session = attached["sessionId"] as? String
        for domain in ["Page", "Runtime", "Network", "Log"] { try command(domain + ".enable") }
        return former
    }

    /// Continues in another tab. Returns what `use` takes to come back.
    @discardableResult
    func use(_ tab: String?) -> String? {
        let former = session
        session = tab
        return former
    }

    deinit {
        kill(process, SIGKILL)
        var status: Int32 = 0
        waitpid(process, &status, 0)
        close(commands)
        close(answers)
        _ = try? Foundation.FileManager.default.removeItem(atPath: folder)
    }

    private static func start(_ program: String, profile: String, reading: Int32, writing: Int32) throws -> pid_t {
        let words = [
            program, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--user-data-dir=\(profile)",
            "--no-first-run", "--disable-extensions", "--disable-background-networking", "--disable-component-update",
            "--disable-dev-shm-usage", "--mute-audio",
            // With a mouse, which this machine may lack; emulated touch is without one.
            "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4",
            "--autoplay-policy=no-user-gesture-required",
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "about:blank",
        ]
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // The pipe's ends must be 3 and 4 there; neither may be overwritten before it is copied.
        posix_spawn_file_actions_adddup2(&actions, reading, 203)
        posix_spawn_file_actions_adddup2(&actions, writing, 204)
        posix_spawn_file_actions_adddup2(&actions, 203, 3)
        posix_spawn_file_actions_adddup2(&actions, 204, 4)
        for descriptor in Int32(5)..<256 { posix_spawn_file_actions_addclose(&actions, descriptor) }
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        let argv: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        let variables = ["HOME=\(profile)", "PATH=/usr/bin:/bin", "LANG=C.UTF-8", "TZ=UTC"]
        let envp: [UnsafeMutablePointer<CChar>?] = variables.map { strdup($0) } + [nil]
        defer { (argv + envp).forEach { free($0) } }
        var process = pid_t()
        let error = posix_spawn(&process, program, &actions, nil, argv, envp)
        guard error == 0 else { throw TestFailure("\(program): \(error)") }
        return process
    }

    // MARK: The protocol

    /// Sends one command and waits for its answer; events on the way are noted.
    @discardableResult
    func command(_ method: String, _ parameters: [String: Any] = [:]) throws -> [String: Any] {
        number += 1
        var message: [String: Any] = ["id": number, "method": method, "params": parameters]
        if let session { message["sessionId"] = session }
        let bytes = [UInt8](try JSONSerialization.data(withJSONObject: message)) + [0]
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { write(commands, $0.baseAddress.map { $0 + sent }, bytes.count - sent) }
            guard count > 0 else { throw TestFailure("the browser has gone") }
            sent += count
        }
        while true {
            let answer = try next()
            guard answer["id"] as? Int == number else { continue }
            if let error = answer["error"] as? [String: Any] { throw TestFailure("\(method): \(error["message"] ?? "")") }
            return answer["result"] as? [String: Any] ?? [:]
        }
    }

    /// The next message, within 30 seconds.
    private func next() throws -> [String: Any] {
        while true {
            if let end = received.firstIndex(of: 0) {
                let data = Data(received[..<end])
                received.removeSubrange(...end)
                guard let message = try JSONSerialization.jsonObject(with: data) as? [String: Any] else { continue }
                note(message)
                return message
            }
            var ready = pollfd(fd: answers, events: Int16(POLLIN), revents: 0)
            guard poll(&ready, 1, 30_000) > 0 else { throw TestFailure("the browser does not answer") }
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            let count = read(answers, &buffer, buffer.count)
            guard count > 0 else { throw TestFailure("the browser has gone") }
            received += buffer[..<count]
        }
    }

    private func note(_ message: [String: Any]) {
        let parameters = message["params"] as? [String: Any] ?? [:]
        switch message["method"] as? String {
        case "Runtime.exceptionThrown": errors.append("exception: \(parameters)")
        case "Runtime.consoleAPICalled" where parameters["type"] as? String == "error": errors.append("console: \(parameters)")
        case "Log.entryAdded":
            let entry = parameters["entry"] as? [String: Any] ?? [:]
            if entry["level"] as? String == "error" { errors.append("log: \(entry["text"] ?? "") \(entry["url"] ?? "")") }
        case "Input.dragIntercepted": dragged = parameters["data"] as? [String: Any]
        case "Network.requestWillBeSent":
            if let url = (parameters["request"] as? [String: Any])?["url"] as? String { requests.append(url) }
        default: break
        }
    }

    func forget() { (errors, requests) = ([], []) }

    // MARK: What a person does

    func resize(_ width: Int, _ height: Int = 900, dark: Bool = false) throws {
        try command(
            "Emulation.setDeviceMetricsOverride",
            ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": false])
        try command(
            "Emulation.setEmulatedMedia",
            ["features": [["name": "prefers-color-scheme", "value": dark ? "dark" : "light"]]])
    }

    /// As a page on paper.
    func openForPrint(_ url: String) throws {
        try command("Emulation.setEmulatedMedia", ["media": "print"])
        try open(url)
    }

    /// Runs a script of the test's own before those of every page.
    func openFirst(_ script: String) throws { try command("Page.addScriptToEvaluateOnNewDocument", ["source": script]) }

    /// Chooses a value as a person does.
    func choose(_ value: String, in selector: String) throws {
        try self.value(
            """
            (e => { e.value = \(quoted(value)); e.dispatchEvent(new Event('change', { bubbles: true })); })(document.querySelector(\(quoted(selector))))
            """)
    }

    func disableScripts(_ disabled: Bool) throws {
        try command("Emulation.setScriptExecutionDisabled", ["value": disabled])
    }

    /// Goes to a page and waits until it has loaded.
    func open(_ url: String) throws {
        try command("Page.navigate", ["url": url])
        try wait("document.readyState === 'complete' && location.href !== 'about:blank'")
    }

    /// The value of an expression.
    @discardableResult
    func value(_ expression: String) throws -> Any? {
        let result = try command(
            "Runtime.evaluate", ["expression": expression, "returnByValue": true, "awaitPromise": true])
        if let details = result["exceptionDetails"] as? [String: Any] { throw TestFailure("\(expression): \(details)") }
        return (result["result"] as? [String: Any])?["value"]
    }

    func text(_ expression: String) throws -> String { try value(expression) as? String ?? "" }
    func count(_ selector: String) throws -> Int { try value("document.querySelectorAll('\(selector)').length") as? Int ?? -1 }

    /// The roles of the elements that a screen reader would announce without a name.
    func nameless() throws -> [String] {
        let wanted: Set<String> = ["button", "link", "combobox", "textbox", "searchbox", "slider", "checkbox", "image", "region"]
        let nodes = try command("Accessibility.getFullAXTree")["nodes"] as? [[String: Any]] ?? []
        func text(_ node: [String: Any], _ key: String) -> String { (node[key] as? [String: Any])?["value"] as? String ?? "" }
        return nodes.filter { $0["ignored"] as? Bool == false && wanted.contains(text($0, "role")) && text($0, "name").isEmpty }
            .map { text($0, "role") }
    }

    /// Waits until an expression is true, at most 15 seconds.
    func wait(_ expression: String, location: SourceLocation = #_sourceLocation) throws {
        for _ in 0..<300 {
            if (try? value("!!(\(expression))")) as? Bool == true { return }
            usleep(50_000)
        }
        Issue.record("never held: \(expression)", sourceLocation: location)
        throw TestFailure("never held: \(expression)")
    }

    /// Clicks the middle of the first element that matches.
    func click(_ selector: String) throws {
        let point = try point(of: selector)
        try mouse("mouseMoved", point, button: "none")
        try mouse("mousePressed", point)
        try mouse("mouseReleased", point)
    }

    /// Drags the first element that matches, and drops it in the lower half of another.
    func drag(_ selector: String, below target: String) throws {
        try command("Input.setInterceptDrags", ["enabled": true])
        let start = try point(of: selector)
        try mouse("mouseMoved", start, button: "none")
        try mouse("mousePressed", start)
        dragged = nil
        for step in 1...20 where dragged == nil { try mouse("mouseMoved", [start[0] + Double(step), start[1] + Double(step)]) }
        guard let dragged else { throw TestFailure("\(selector) cannot be dragged") }
        for (type, share) in [("dragEnter", 0.5), ("dragOver", 0.9), ("drop", 0.9)] {
            let point = try point(of: target, share: share)
            try command("Input.dispatchDragEvent", ["type": type, "x": point[0], "y": point[1], "data": dragged])
        }
        try mouse("mouseReleased", start)
        try command("Input.setInterceptDrags", ["enabled": false])
    }

    private func mouse(_ type: String, _ point: [Double], button: String = "left") throws {
        try command(
            "Input.dispatchMouseEvent", ["type": type, "x": point[0], "y": point[1], "button": button, "clickCount": 1])
    }

    /// - Parameter share: the vertical position as a share of the element's height, from its top.
    private func point(of selector: String, share: Double = 0.5) throws -> [Double] {
        let point = try value(
            """
            (() => { const e = document.querySelector(\(quoted(selector))); if (!e) return null; e.scrollIntoView({block: 'center'});
            const b = e.getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height * \(share)]; })()
            """)
        guard let point = point as? [Double] else { throw TestFailure("no \(selector)") }
        return point
    }

    /// Presses keys one after the other: letters, or names such as `Enter`.
    func press(_ keys: String..., shift: Bool = false) throws {
        for key in keys {
            let codes = ["Enter": 13, "Tab": 9, "Escape": 27, "ArrowUp": 38, "ArrowDown": 40, "ArrowLeft": 37, "ArrowRight": 39]
            var event: [String: Any] = ["key": key, "modifiers": shift ? 8 : 0]
            if let code = codes[key] { event["windowsVirtualKeyCode"] = code }
            event["text"] = key == "Enter" ? "\r" : key.count == 1 ? key : nil
            event["type"] = "keyDown"
            try command("Input.dispatchKeyEvent", event)
            event["type"] = "keyUp"
            event["text"] = nil
            try command("Input.dispatchKeyEvent", event)
        }
    }

    func type(_ text: String) throws { try command("Input.insertText", ["text": text]) }

    /// A picture of the window, as PNG.
    func picture() throws -> [UInt8] {
        let data = try command("Page.captureScreenshot", ["format": "png"])["data"] as? String
        return [UInt8](data.flatMap { Data(base64Encoded: $0) } ?? Data())
    }

    private func quoted(_ text: String) -> String { "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'" }
}

extension Trait where Self == ConditionTrait {
    /// Runs only where Debian's chromium is installed, or must be.
    static var inBrowser: Self {
        .enabled(
            if: Browser.program != nil || getenv("JIMMY_NEEDS_BROWSER") != nil,
            "Debian's chromium is not installed, so no page is tried in a browser.")
    }
}
