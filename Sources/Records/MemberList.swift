import Domain
import JSON

/// Lists the members of a log line, each with the value that it has on the lines before.
protocol MemberList {
    associatedtype List: FieldList
    mutating func member<Value: Equatable>(
        _ name: StaticString, _ value: inout Value, _ earlier: @autoclosure () -> Value,
        _ list: (inout List, StaticString, inout Value) -> Void)
    /// Whether the podcast has a password, which is in another file.
    mutating func hasSecret(_ value: Bool, _ earlier: Bool)
    /// A refresh usually adds one answer before the others. Then only that one and the number of answers are written.
    mutating func answers(_ answers: inout [FetchAnswer], _ earlier: [FetchAnswer])
}

extension MemberList {
    /// A value that every podcast has. It is written as a new one unless it differs from that.
    mutating func object<Value: ReadableFields & Equatable>(
        _ name: StaticString, _ value: inout Value, _ earlier: @autoclosure () -> Value
    ) {
        member(name, &value, earlier()) { $0.object($1, &$2) }
    }
}

/// Writes the members whose values changed.
struct ChangedMembers: MemberList {
    var json: JSONWriter

    mutating func member<Value: Equatable>(
        _ name: StaticString, _ value: inout Value, _ earlier: @autoclosure () -> Value,
        _ list: (inout JSONWriter, StaticString, inout Value) -> Void
    ) {
        guard value != earlier() else { return }
        let length = json.count
        list(&json, name, &value)
        if json.count == length {
            json.key(name.description)
            json.raw("null".utf8)
        }
    }

    mutating func hasSecret(_ value: Bool, _ earlier: Bool) {
        var value = value
        member("hasSecret", &value, earlier) { $0.flag($1, &$2) }
    }

    mutating func answers(_ answers: inout [FetchAnswer], _ earlier: [FetchAnswer]) {
        if let first = answers.first, !earlier.isEmpty, answers != earlier,
            answers.dropFirst().elementsEqual(earlier.prefix(answers.count - 1))
        {
            var added = AddedAnswer(answer: first, count: answers.count)
            json.object("answer") { added.list(&$0) }
        } else {
            member("answers", &answers, earlier) { $0.objects($1, &$2) }
        }
    }
}

/// A member that is null has the value of a new podcast.
extension JSONReader: MemberList {
    mutating func member<Value: Equatable>(
        _ name: StaticString, _ value: inout Value, _ earlier: @autoclosure () -> Value,
        _ list: (inout JSONReader, StaticString, inout Value) -> Void
    ) {
        guard isNext(name) else { return }
        if nextIsNull { member(name) { value = try $0.null() ? earlier() : value } } else { list(&self, name, &value) }
    }

    mutating func hasSecret(_ value: Bool, _ earlier: Bool) {}

    mutating func answers(_ answers: inout [FetchAnswer], _ earlier: [FetchAnswer]) {
        member("answers", &answers, earlier) { $0.objects($1, &$2) }
        var added: AddedAnswer?
        object("answer", &added)
        guard let added else { return }
        answers.insert(added.answer, at: 0)
        answers.removeLast(max(0, answers.count - added.count))
    }
}

/// An answer, and the number of answers with it.
struct AddedAnswer: ReadableFields {
    var answer = FetchAnswer()
    var count = 0

    init() {}

    init(answer: FetchAnswer, count: Int) { (self.answer, self.count) = (answer, count) }

    mutating func list<L: FieldList>(_ list: inout L) {
        answer.list(&list)
        list.integer("of", &count)
    }
}
