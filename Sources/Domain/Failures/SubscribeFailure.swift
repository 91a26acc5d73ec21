public enum SubscribeFailure: Error, Sendable {
    /// Not a URL jimmy can fetch.
    case badURL
    case fetch(FetchFailure)
    case local(LocalFailure)
    case directory(any Error)

    package init(_ error: any Error) {
        switch error {
        case let failure as FetchFailure: self = .fetch(failure)
        case is NotAFeed, is WebPage, is HostPaused: self = .fetch(FetchFailure(error))
        default: self = LocalFailure(error).map { .local($0) } ?? .directory(error)
        }
    }
}
