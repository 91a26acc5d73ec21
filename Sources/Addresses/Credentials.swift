/// User and password of a feed URL, sent as Basic authentication to that host only.
public struct Credentials: Equatable, Sendable {
    public var user: String
    public var password: String

    public init(user: String, password: String) {
        self.user = user
        self.password = password
    }
}
