internal import Domain
internal import Results
internal import Searching

extension HitExplanation {
    /// The parts of the score: terms with their fields, and age.
    func lines(score: Double) -> [String] {
        var lines = ["score \(rounded(score))" + (isExactTitle ? ", 100 of them for the exact title" : "")]
        lines += terms.map { term in
            let matches = term.matches.map { match in
                let fields = match.fields.map { "\($0.name) ×\($0.count)" }.joined(separator: ", ")
                return "\(match.words) (\(fields))" + (match.factor < 1 ? " counts \(rounded(match.factor))" : "")
            }
            return "\(rounded(term.score)): " + matches.joined(separator: "; ") + "; rarity \(rounded(term.rarity))"
        }
        if closeness > 0 { lines.append("\(rounded(closeness)): said close together") }
        return lines + ["× \(rounded(freshness)) for its age"]
    }
}

/// Two decimals, which are enough for comparing.
private func rounded(_ number: Double) -> String {
    let hundredths = Int((number * 100).rounded())
    let fraction = hundredths % 100
    return "\(hundredths / 100)." + (fraction < 10 ? "0" : "") + "\(fraction)"
}

/// `explanation` of a search's JSON.
struct ExplanationFields: Fields {
    let explanation: HitExplanation

    init(_ explanation: HitExplanation) { self.explanation = explanation }

    func visit<V: FieldVisitor>(_ visitor: inout V) {
        visitor.flag("exactTitle", explanation.isExactTitle ? true : nil)
        visitor.number("freshness", explanation.freshness)
        visitor.number("closeness", explanation.closeness > 0 ? explanation.closeness : nil)
        visitor.objects("terms", explanation.terms.map(TermFields.init))
    }

    private struct TermFields: Fields {
        let term: HitExplanation.Term

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.number("bm25", term.score)
            visitor.number("rarity", term.rarity)
            visitor.objects("matches", term.matches.map(MatchFields.init))
        }
    }

    private struct MatchFields: Fields {
        let match: HitExplanation.Match

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.text("words", match.words)
            visitor.number("factor", match.factor)
            visitor.objects("fields", match.fields.map(Count.init))
        }
    }

    private struct Count: Fields {
        let field: HitExplanation.Match.Field

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.text("field", field.name)
            visitor.integer("count", field.count)
        }
    }
}

/// The last line of a search with `--facets`.
struct FacetRow: Fields {
    private let outcome: SearchOutcome

    init(_ outcome: SearchOutcome) { self.outcome = outcome }

    func visit<V: FieldVisitor>(_ visitor: inout V) {
        visitor.text("type", "facets")
        visit(.podcast, "podcast", &visitor)
        visit(.year, "year", &visitor)
        visit(.language, "language", &visitor)
    }

    private func visit<V: FieldVisitor>(_ facet: SearchFacet, _ name: StaticString, _ visitor: inout V) {
        guard let counts = outcome.facets[facet] else { return }
        visitor.objects(name, counts.map { Value(count: $0, title: facet == .podcast ? outcome.titles[$0.value] : nil) })
    }

    private struct Value: Fields {
        let count: FacetCount
        let title: String?

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.text("value", count.value)
            visitor.text("title", title)
            visitor.integer("count", count.count)
        }
    }
}
