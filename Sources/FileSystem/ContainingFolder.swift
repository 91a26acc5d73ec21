extension String {
    /// The folder of the file at this path; nil for a name alone.
    public var containingFolder: String? {
        lastIndex(of: "/").map { $0 == startIndex ? "/" : String(self[..<$0]) }
    }
}
