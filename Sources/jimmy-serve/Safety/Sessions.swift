import Composition
import Domain
import Glibc

/// Controls access to the site. Without a password everybody who reaches it has access; the server then listens only on
/// this machine.
actor Sessions {
    private let passwords: PasswordFile
    private let file = SessionFile()
    private var signIns: [String: SignIn] = [:]
    /// The version of the file that `signIns` is from.
    private var version: FileVersion?
    private var attempts = LoginLimit()

    static let cookie = "jimmy_session"
    /// Seconds that a browser stays signed in.
    static let browserSeconds: Int64 = 30 * 86_400

    init(_ passwords: PasswordFile) { self.passwords = passwords }

    nonisolated var isOpen: Bool { !passwords.isSet }

    enum SignInResult: Sendable {
        case signedIn(token: String)
        case wrong
        /// Too many wrong passwords came from this address, or from all addresses.
        case wait
    }

    /// - Parameter address: the client's address, for the limit.
    func signIn(password: String, from address: String, now: Timestamp) async -> SignInResult {
        guard attempts.allows(address, now: now) else { return .wait }
        let passwords = passwords
        // The hash takes a tenth of a second of CPU time by design.
        guard await onThread({ passwords.fits(password) }) ?? false else { return .wrong }
        attempts.forget(address)
        guard let token = await add(.browser, named: "browser", until: now + Self.browserSeconds, now: now) else { return .wrong }
        return .signedIn(token: token)
    }

    /// A new token for an app or a feed; nil if it could not be stored.
    func add(_ kind: SignIn.Kind, named name: String, until: Timestamp? = nil, now: Timestamp) async -> String? {
        let token = Token.make()
        guard let digest = Token.digest(token) else { return nil }
        let isStored = await change { signIns in
            signIns = signIns.filter { $0.value.until.map { $0 > now } ?? true }
            signIns[digest] = SignIn(digest: digest, kind: kind, name: name, since: now, until: until)
        }
        return isStored ? token : nil
    }

    func isValid(_ token: String, as kinds: Set<SignIn.Kind>, now: Timestamp) -> Bool {
        readIfChanged()
        guard let signIn = Token.digest(token).flatMap({ signIns[$0] }), kinds.contains(signIn.kind) else { return false }
        return signIn.until.map { $0 > now } ?? true
    }

    /// Changing or removing the password deletes the file, which ends all sign-ins. Another server of the same user may
    /// have added some.
    private func readIfChanged() {
        let current = file.version
        guard current != version else { return }
        version = current
        signIns = Dictionary(file.read().map { ($0.digest, $0) }, uniquingKeysWith: { _, last in last })
    }

    /// The sign-ins of apps and feeds, by name.
    var listed: [SignIn] {
        readIfChanged()
        return signIns.values.filter { $0.kind != .browser }.sorted { ($0.name, $0.digest) < ($1.name, $1.digest) }
    }

    func withdraw(digest: String) async { _ = await change { $0[digest] = nil } }

    /// Ends the session of a browser. The token of an app stays valid until it is withdrawn.
    func signOut(_ token: String) async {
        readIfChanged()
        guard let digest = Token.digest(token), signIns[digest]?.kind == .browser else { return }
        await withdraw(digest: digest)
    }

    /// Changes what is stored now; another server of the same user may have changed it.
    private func change(_ body: (inout [String: SignIn]) -> Void) async -> Bool {
        guard let lock = try? await lockFile(besides: file.path) else { return false }
        defer { close(lock) }
        readIfChanged()
        body(&signIns)
        do { try file.write(Array(signIns.values)) } catch { return false }
        version = file.version
        return true
    }
}

/// Limits attempts to guess the password: ten in a quarter of an hour from one address, a hundred from all.
struct LoginLimit {
    private var times: [String: [Timestamp]] = [:]
    private static let seconds: Int64 = 900
    private static let maxPerAddress = 10
    private static let maxInTotal = 100

    mutating func allows(_ address: String, now: Timestamp) -> Bool {
        for (other, attempts) in times {
            let recent = attempts.filter { now - $0 < Self.seconds }
            times[other] = recent.isEmpty ? nil : recent
        }
        guard times[address, default: []].count < Self.maxPerAddress, times.values.reduce(0, { $0 + $1.count }) < Self.maxInTotal
        else { return false }
        times[address, default: []].append(now)
        return true
    }

    mutating func forget(_ address: String) { times[address] = nil }
}
