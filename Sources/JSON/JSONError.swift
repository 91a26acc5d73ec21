/// Why, and at which offset, the bytes are not the expected JSON.
public struct JSONError: Error, Hashable, Sendable {
    public enum Reason: Hashable, Sendable {
        /// A byte that is not allowed here.
        case unexpected
        /// The bytes ended inside a value.
        case ended
        /// A value of another type than expected.
        case wrongType
        /// Nested deeper than `JSONReader.maxDepth`.
        case tooDeep
    }

    public var reason: Reason
    /// Offset of the byte.
    public var offset: Int

    public init(reason: Reason, offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    /// The line of the error, counted from 1.
    public func line(in bytes: [UInt8]) -> Int {
        1 + bytes.prefix(offset).count { $0 == UInt8(ascii: "\n") }
    }
}
