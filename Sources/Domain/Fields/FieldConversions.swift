/// Fields of other types. What a new value has anyway counts as absent: an empty text, 0, false.
extension FieldList {
    public mutating func text(_ name: StaticString, _ value: inout String) {
        convert(&value, to: { $0 }, from: { $0 }) { $0.text(name, &$1) }
    }

    /// A word of a closed set. One that is not known leaves the value as it is.
    public mutating func text<Word: RawRepresentable<String>>(_ name: StaticString, _ value: inout Word) {
        convert(&value, to: { $0.rawValue }, from: Word.init) { $0.text(name, &$1) }
    }

    public mutating func text<Word: RawRepresentable<String>>(_ name: StaticString, _ value: inout Word?) {
        text(name, &value, as: { $0?.rawValue }) { .some(Word(rawValue: $0)) }
    }

    /// A value that is stored as a text. A text that is none leaves the value as it is.
    public mutating func text<Value>(
        _ name: StaticString, _ value: inout Value, as text: (Value) -> String?, _ read: (String) -> Value?
    ) {
        convert(&value, to: text, from: read) { $0.text(name, &$1) }
    }

    public mutating func text(_ name: StaticString, _ value: inout EpisodeID) {
        text(name, &value, as: \.text) { EpisodeID(text: $0) }
    }

    /// A value that is stored as a list of texts.
    public mutating func texts<Value>(
        _ name: StaticString, _ value: inout Value, as texts: (Value) -> [String], _ read: ([String]) -> Value
    ) {
        var between = Self.reads ? [] : texts(value)
        self.texts(name, &between)
        if Self.reads, !between.isEmpty { value = read(between) }
    }

    public mutating func texts(_ name: StaticString, _ value: inout [PodcastID]) {
        texts(name, &value, as: { $0.map(\.text) }) { $0.map { PodcastID(text: $0) } }
    }

    public mutating func texts(_ name: StaticString, _ value: inout Set<PodcastID>) {
        texts(name, &value, as: { $0.sorted().map(\.text) }) { Set($0.map { PodcastID(text: $0) }) }
    }

    public mutating func texts(_ name: StaticString, _ value: inout Set<Tag>) {
        texts(name, &value, as: { $0.sorted().map(\.text) }) { Set($0.compactMap { Tag($0) }) }
    }

    /// A value that every parent has.
    public mutating func object<Value: ReadableFields>(_ name: StaticString, _ value: inout Value) {
        convert(&value, to: { $0 }, from: { $0 }) { $0.object(name, &$1) }
    }

    /// A value that is stored as a list of objects.
    public mutating func objects<Value, Object: ReadableFields>(
        _ name: StaticString, _ value: inout Value, as objects: (Value) -> [Object], _ read: ([Object]) -> Value
    ) {
        var between = Self.reads ? [] : objects(value)
        self.objects(name, &between)
        if Self.reads, !between.isEmpty { value = read(between) }
    }

    public mutating func digest(_ name: StaticString, _ value: inout ContentDigest?) {
        convert(&value, to: { $0?.value }, from: { .some(ContentDigest(value: $0)) }) { $0.hash(name, &$1) }
    }

    /// 64 bits that every value has.
    public mutating func hash(_ name: StaticString, _ value: inout UInt64) {
        convert(&value, to: { $0 }, from: { $0 }) { $0.hash(name, &$1) }
    }

    public mutating func number(_ name: StaticString, _ value: inout Double) {
        convert(&value, to: { $0 }, from: { $0 }) { $0.number(name, &$1) }
    }

    public mutating func integer(_ name: StaticString, _ value: inout Int) {
        convert(&value, to: { $0 == 0 ? nil : $0 }, from: { $0 }) { $0.integer(name, &$1) }
    }

    public mutating func integer(_ name: StaticString, _ value: inout Int64) {
        convert(&value, to: { $0 == 0 ? nil : Int($0) }, from: { Int64($0) }) { $0.integer(name, &$1) }
    }

    public mutating func integer(_ name: StaticString, _ value: inout Int64?) {
        convert(&value, to: { $0.map { Int($0) } }, from: { Int64($0) }) { $0.integer(name, &$1) }
    }

    /// A number that is written even if it is 0.
    public mutating func integer(_ name: StaticString, always value: inout Int) {
        convert(&value, to: { $0 }, from: { $0 }) { $0.integer(name, &$1) }
    }

    /// Numbers by a word of a closed set, in the order of the set.
    public mutating func integers<Word: RawRepresentable<String> & CaseIterable & Hashable>(
        _ name: StaticString, byKey members: inout [Word: Int]
    ) {
        var between = Word.allCases.compactMap { word in members[word].map { (key: word.rawValue, value: $0) } }
        integers(name, byKey: &between)
        guard Self.reads else { return }
        for (key, value) in between { if let word = Word(rawValue: key) { members[word] = value } }
    }

    public mutating func flag(_ name: StaticString, _ value: inout Bool) {
        convert(&value, to: { $0 ? true : nil }, from: { $0 }) { $0.flag(name, &$1) }
    }

    /// A flag that is written even if it is false.
    public mutating func flag(_ name: StaticString, always value: inout Bool) {
        convert(&value, to: { $0 }, from: { $0 }) { $0.flag(name, &$1) }
    }

    public mutating func time(_ name: StaticString, _ value: inout Timestamp) {
        convert(&value, to: { $0 }, from: { $0 }) { $0.time(name, &$1) }
    }

    private mutating func convert<Value, Stored>(
        _ value: inout Value, to stored: (Value) -> Stored?, from read: (Stored) -> Value?,
        _ list: (inout Self, inout Stored?) -> Void
    ) {
        var between = Self.reads ? nil : stored(value)
        list(&self, &between)
        if Self.reads, let between, let new = read(between) { value = new }
    }
}
