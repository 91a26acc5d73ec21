/// One digest per top-level field that is present, for comparing two versions of an item field by field.
public struct FieldDigests: Sendable {
    private var digests: [(name: String, digest: UInt64)] = []

    public init(of fields: some Fields) {
        var visitor = Visitor()
        fields.visit(&visitor)
        digests = visitor.digests
    }

    /// The names of the fields that differ, in the order of `jimmy parse`.
    public func changed(from earlier: FieldDigests) -> [String] {
        let before = Dictionary(earlier.digests.map { ($0.name, $0.digest) }, uniquingKeysWith: { first, _ in first })
        let after = Set(digests.map(\.name))
        let different = digests.filter { before[$0.name] != $0.digest }.map(\.name)
        return different + earlier.digests.map(\.name).filter { !after.contains($0) }
    }

    private struct Visitor: FieldVisitor {
        var digests: [(name: String, digest: UInt64)] = []

        private mutating func record(_ name: StaticString, _ visit: (inout DigestVisitor) -> Void) {
            var digest = DigestVisitor()
            let empty = digest.hasher.finish()
            visit(&digest)
            let value = digest.hasher.finish()
            if value != empty { digests.append((name.description, value)) }
        }

        mutating func text(_ name: StaticString, _ value: String?) { record(name) { $0.text(name, value) } }
        mutating func text(_ name: StaticString, _ value: Span<UInt8>) { record(name) { $0.text(name, value) } }
        mutating func texts(_ name: StaticString, _ values: [String]) { record(name) { $0.texts(name, values) } }
        mutating func integer(_ name: StaticString, _ value: Int?) { record(name) { $0.integer(name, value) } }
        mutating func integers(_ name: StaticString, _ values: [Int]) { record(name) { $0.integers(name, values) } }
        mutating func number(_ name: StaticString, _ value: Double?) { record(name) { $0.number(name, value) } }
        mutating func flag(_ name: StaticString, _ value: Bool?) { record(name) { $0.flag(name, value) } }
        mutating func time(_ name: StaticString, _ value: Timestamp?) { record(name) { $0.time(name, value) } }
        mutating func object<F: Fields>(_ name: StaticString, _ value: F?) { record(name) { $0.object(name, value) } }
        mutating func objects<F: Fields>(_ name: StaticString, _ values: [F]) {
            record(name) { $0.objects(name, values) }
        }
        mutating func paths(_ name: StaticString, _ values: [[String]]) { record(name) { $0.paths(name, values) } }
    }
}
