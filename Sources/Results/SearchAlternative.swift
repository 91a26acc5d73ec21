/// What is shown if a query finds nothing.
public enum SearchAlternative: Equatable, Sendable {
    /// The results of the nearest spelling.
    case spelling(String)
    /// The results without words that nothing contains.
    case without([String])
    /// The results without one word that does not occur together with the others.
    case apart(String)
}
