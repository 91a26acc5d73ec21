/// Why a command is not taken back.
public enum UndoFailure: Error, Equatable, Sendable {
    /// The last change cannot be taken back.
    ///
    /// - Parameter earlier: the latest command before it that can.
    case isFinal(UndoMark, earlier: Numbered?)

    public struct Numbered: Equatable, Sendable {
        public var number: Int
        public var mark: UndoMark

        public init(number: Int, mark: UndoMark) { (self.number, self.mark) = (number, mark) }
    }
}
