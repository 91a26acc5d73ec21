extension [UInt8] {
    /// A copy of the bytes.
    public init(_ bytes: RawSpan) { self = bytes.withUnsafeBytes { Array($0) } }

    public mutating func append(contentsOf bytes: RawSpan) { bytes.withUnsafeBytes { append(contentsOf: $0) } }
}
