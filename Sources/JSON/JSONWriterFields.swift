public import Domain
internal import Memory

/// Writes an entity's fields as members of an object.
extension JSONWriter: FieldVisitor {
    public mutating func text(_ name: StaticString, _ value: String?) {
        guard let value, !value.isEmpty else { return }
        key(name, quote: true)
        endQuote(value)
    }

    public mutating func text(_ name: StaticString, _ value: Span<UInt8>) {
        guard !value.isEmpty else { return }
        key(name, quote: true)
        endQuote(value)
    }

    public mutating func texts(_ name: StaticString, _ values: [String]) {
        guard !values.isEmpty else { return }
        array(name) { for value in values { $0.value(value) } }
    }

    public mutating func integer(_ name: StaticString, _ value: Int?) {
        guard let value else { return }
        key(name)
        digits(value)
    }

    public mutating func integers(_ name: StaticString, _ values: [Int]) {
        guard !values.isEmpty else { return }
        array(name) { for value in values { $0.value(value) } }
    }

    /// Whole numbers are written without a fraction. Infinity and NaN, which JSON cannot express, are omitted.
    public mutating func number(_ name: StaticString, _ value: Double?) {
        guard let value, value.isFinite else { return }
        key(name)
        if let whole = Int(exactly: value), abs(value) < 0x1p53 {
            digits(whole)
        } else {
            var text = value.description
            text.withUTF8 { append($0.span) }
        }
    }

    public mutating func flag(_ name: StaticString, _ value: Bool?) {
        guard let value else { return }
        key(name)
        output.append(value ? "true" : "false")
    }

    /// Omitted if the year does not fit into four digits, which is a publisher's mistake.
    public mutating func time(_ name: StaticString, _ value: Timestamp?) {
        guard let value, Timestamp.writable.contains(value) else { return }
        key(name)
        quote(value)
    }

    public mutating func hash(_ name: StaticString, _ value: inout UInt64?) { hash(name, value) }

    public mutating func object<F: Fields>(_ name: StaticString, _ value: F?) {
        guard let value else { return }
        object(name) { value.visit(&$0) }
    }

    public mutating func integers(_ name: StaticString, byKey members: inout [(key: String, value: Int)]) {
        let members = members
        object(name) { json in
            for (key, value) in members {
                json.key(key)
                json.value(value)
            }
        }
    }

    public mutating func objects<F: ReadableFields>(_ name: StaticString, byKey members: inout [String: F]) {
        let members = members.sorted { $0.key < $1.key }
        object(name) { json in
            for (key, value) in members {
                json.key(key)
                json.value(value)
            }
        }
    }

    public mutating func objects<F: Fields>(_ name: StaticString, _ values: [F]) {
        guard !values.isEmpty else { return }
        array(name) { for value in values { $0.value(value) } }
    }

    public mutating func paths(_ name: StaticString, _ values: [[String]]) {
        guard !values.isEmpty else { return }
        array(name) {
            for path in values {
                $0.array { for value in path { $0.value(value) } }
            }
        }
    }
}
