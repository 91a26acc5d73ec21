public import Domain
internal import Glibc

/// Reads an object's members into the fields that a value lists.
///
/// Members usually stand in the order of the list, as they were written: each field is asked once whether the next member
/// is its own, by comparing bytes. Where the order differs, the list is walked again from its beginning.
extension JSONReader {
    public mutating func value<Value: ReadableFields>(_ type: Value.Type = Value.self) throws -> Value {
        var value = Value()
        try members { value.list(&$0) }
        guard value.isWhole else {
            // Missing is what should stand before the closing bracket.
            offset -= 1
            throw error(.unexpected)
        }
        return value
    }

    /// Reads an object. `list` is called until all members are read, and reads those that come next and have its names.
    ///
    /// - Parameter other: reads or skips the value of a member that `list` does not name.
    public mutating func members(
        _ list: (inout JSONReader) throws -> Void, other: (inout JSONReader) throws -> Void = { _ = try $0.skip() }
    ) throws {
        let outer = (member, isAlone)
        isAlone = false
        try open(UInt8(ascii: "{"))
        member = try start() == UInt8(ascii: "}") ? nil : memberName()
        while member != nil {
            let first = offset
            try list(&self)
            if let failure { throw failure }
            if member != nil, offset == first {
                try other(&self)
                try nextMember()
            }
        }
        close()
        (member, isAlone) = outer
    }

    /// True if a member could not be read, so that none is read after it.
    public var hasFailed: Bool { failure != nil }

    /// Reads the member whose key `object` has just passed, or skips it if the list does not name it.
    public mutating func member(_ list: (inout JSONReader) -> Void) throws {
        let outer = (member, isAlone)
        (member, isAlone) = (key, true)
        list(&self)
        if let failure { throw failure }
        if member != nil { try skip() }
        (member, isAlone) = outer
    }

    public mutating func values<Value: ReadableFields>() throws -> [Value] {
        try list { try $0.value() }
    }

    public mutating func strings() throws -> [String] { try list { try $0.string() } }
    public mutating func integers() throws -> [Int] { try list { try $0.integer() } }
    public mutating func paths() throws -> [[String]] { try list { try $0.strings() } }

    /// An array whose elements are all read by `element`.
    public mutating func list<Element>(_ read: (inout JSONReader) throws -> Element) throws -> [Element] {
        var elements: [Element] = []
        try array { elements.append(try read(&$0)) }
        return elements
    }

    // MARK: Members

    /// Goes on to the name of the next member, or to the end of the object.
    private mutating func nextMember() throws {
        member = try !isAlone && hasNext(UInt8(ascii: "}")) ? memberName() : nil
    }

    /// Reads a value if the next member has this name.
    @inline(__always)
    public mutating func member(_ name: StaticString, _ read: (inout JSONReader) throws -> Void) {
        guard isNext(name) else { return }
        do {
            try read(&self)
            try nextMember()
        } catch {
            (failure, member) = (error, nil)
        }
    }

    public var nextIsNull: Bool {
        mutating get { (try? start()) == UInt8(ascii: "n") }
    }

    @inline(__always)
    public func isNext(_ name: StaticString) -> Bool {
        guard let member, member.count == name.utf8CodeUnitCount else { return false }
        return bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return false }
            return memcmp(start + member.lowerBound, name.utf8Start, member.count) == 0
        }
    }
}

extension JSONReader: FieldList {
    public static var reads: Bool { true }
    public mutating func text(_ name: StaticString, _ value: inout String?) { member(name) { value = try $0.string() } }
    public mutating func texts(_ name: StaticString, _ values: inout [String]) { member(name) { values = try $0.strings() } }
    public mutating func integer(_ name: StaticString, _ value: inout Int?) { member(name) { value = try $0.integer() } }
    public mutating func integers(_ name: StaticString, _ values: inout [Int]) { member(name) { values = try $0.integers() } }
    public mutating func number(_ name: StaticString, _ value: inout Double?) { member(name) { value = try $0.number() } }
    public mutating func flag(_ name: StaticString, _ value: inout Bool?) { member(name) { value = try $0.bool() } }
    public mutating func time(_ name: StaticString, _ value: inout Timestamp?) { member(name) { value = try $0.time() } }
    public mutating func hash(_ name: StaticString, _ value: inout UInt64?) { member(name) { value = try $0.hash() } }
    public mutating func paths(_ name: StaticString, _ values: inout [[String]]) { member(name) { values = try $0.paths() } }

    public mutating func object<F: ReadableFields>(_ name: StaticString, _ value: inout F?) {
        member(name) { value = try $0.value(F.self) }
    }

    public mutating func objects<F: ReadableFields>(_ name: StaticString, _ values: inout [F]) {
        member(name) { values = try $0.values() }
    }

    public mutating func integers(_ name: StaticString, byKey members: inout [(key: String, value: Int)]) {
        member(name) {
            members = []
            try $0.object { json, key in members.append((key, try json.integer())) }
        }
    }

    public mutating func objects<F: ReadableFields>(_ name: StaticString, byKey members: inout [String: F]) {
        member(name) {
            members = [:]
            try $0.object { json, key in members[key] = try json.value() }
        }
    }

    public mutating func text(_ field: ItemTexts.Field, of texts: inout ItemTexts) {
        member(field.name) { texts[field] = try $0.string() }
    }

    public mutating func repeats(_ name: StaticString, _ texts: inout ItemTexts) {
        member(name) {
            try $0.object { json, key in
                let other = ItemTexts.Field(name: try json.string())
                if let field = ItemTexts.Field(name: key), let other { texts.copy(other, to: field) }
            }
        }
    }
}
