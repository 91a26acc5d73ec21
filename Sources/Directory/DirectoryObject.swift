import JSON

/// One hit of a directory's answer: its texts and numbers by name. Nested values are skipped.
struct DirectoryObject {
    private(set) var texts: [String: String] = [:]
    private(set) var numbers: [String: Double] = [:]

    /// nil if the next value is not an object; it is skipped.
    init?(_ json: inout JSONReader) throws {
        guard try json.peek() == .object else {
            try json.skip()
            return nil
        }
        try json.object { json, key in
            switch try json.peek() {
            case .string: texts[key] = try json.string()
            case .number: numbers[key] = try json.number()
            default: try json.skip()
            }
        }
    }

    /// A whole number; nil if it is missing or has a fraction.
    func integer(_ name: String) -> Int? { numbers[name].flatMap { Int(exactly: $0) } }
}
