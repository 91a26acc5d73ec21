public import Domain

extension DirectoryName {
    /// The name in messages.
    public var title: String {
        switch self {
        case .apple: "Apple's directory"
        case .podcastIndex: "Podcast Index"
        }
    }
}

extension FailureLine {
    init(_ failure: DirectoryFailure, doing what: String) {
        switch failure {
        case .noKey(let directory):
            self.init(
                what, "\(directory.title) answers only with a key", status: .usage,
                advice: "get one at https://api.podcastindex.org, then set podcast-index-key and podcast-index-secret")
        case .keyRefused(let directory):
            self.init(
                what, "\(directory.title) refused the key", status: .unavailable,
                advice: "check podcast-index-key, podcast-index-secret and this machine's clock")
        case .cannotSign:
            self.init(what, "libcrypto, which signs requests, is missing", status: .unavailable, advice: "install libssl3")
        }
    }
}
