/// A 64-bit digest of everything a feed says in one item or channel.
///
/// Values with equal fields have equal digests on any machine and in any run, so an unchanged episode is recognized
/// without decoding the stored one.
public struct ContentDigest: Hashable, Sendable {
    public let value: UInt64

    public init(value: UInt64) { self.value = value }

    public init(of fields: some Fields) {
        var visitor = DigestVisitor()
        fields.visit(&visitor)
        value = visitor.hasher.finish()
    }

    // For the most frequent types: this module specializes concrete functions, but not generic ones called from others.
    public init(of item: consuming Item) {
        var visitor = DigestVisitor()
        item.list(&visitor)
        value = visitor.hasher.finish()
    }

    public init(of channel: Channel) {
        var visitor = DigestVisitor()
        channel.visit(&visitor)
        value = visitor.hasher.finish()
    }
}

/// Hashes names, lengths and values. The lengths distinguish `["ab"]` from `["a", "b"]`.
struct DigestVisitor: FieldVisitor {
    var hasher = XXH64()

    mutating func text(_ name: StaticString, _ value: String?) {
        guard let value, !value.isEmpty else { return }
        add(name)
        add(value)
    }

    mutating func text(_ name: StaticString, _ value: Span<UInt8>) {
        guard !value.isEmpty else { return }
        add(name)
        add(UInt64(value.count))
        hasher.update(value.bytes)
    }

    mutating func texts(_ name: StaticString, _ values: [String]) {
        guard !values.isEmpty else { return }
        add(name)
        add(values)
    }

    mutating func integer(_ name: StaticString, _ value: Int?) {
        guard let value else { return }
        add(name)
        add(UInt64(bitPattern: Int64(value)))
    }

    mutating func integers(_ name: StaticString, _ values: [Int]) {
        guard !values.isEmpty else { return }
        add(name)
        add(UInt64(values.count))
        for value in values { add(UInt64(bitPattern: Int64(value))) }
    }

    mutating func number(_ name: StaticString, _ value: Double?) {
        guard let value else { return }
        add(name)
        add(value.bitPattern)
    }

    mutating func flag(_ name: StaticString, _ value: Bool?) {
        guard let value else { return }
        add(name)
        add(value ? 1 : 0)
    }

    mutating func time(_ name: StaticString, _ value: Timestamp?) {
        guard let value else { return }
        add(name)
        add(UInt64(bitPattern: value.seconds))
    }

    mutating func object<F: Fields>(_ name: StaticString, _ value: F?) {
        guard let value else { return }
        add(name)
        value.visit(&self)
        add(0)
    }

    mutating func objects<F: Fields>(_ name: StaticString, _ values: [F]) {
        guard !values.isEmpty else { return }
        add(name)
        add(UInt64(values.count))
        for value in values {
            value.visit(&self)
            add(0)
        }
    }

    mutating func paths(_ name: StaticString, _ values: [[String]]) {
        guard !values.isEmpty else { return }
        add(name)
        add(UInt64(values.count))
        for value in values { add(value) }
    }

    private mutating func add(_ name: StaticString) {
        name.withUTF8Buffer { hasher.update($0.span.bytes) }
    }

    private mutating func add(_ number: UInt64) { hasher.update(number) }

    private mutating func add(_ text: String) {
        add(UInt64(text.utf8.count))
        hasher.update(text.utf8)
    }

    private mutating func add(_ texts: [String]) {
        add(UInt64(texts.count))
        for text in texts { add(text) }
    }
}
