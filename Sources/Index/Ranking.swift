internal import Domain
internal import Glibc

/// How well an episode answers a query.
///
/// BM25F: a term's occurrences are added up over the columns, each with its column's weight, set against the length
/// of the text, and saturate; terms count by how rare they are. On top, newer is a little better: an episode of today
/// gains 30%, half of that after two years. Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework:
/// BM25 and Beyond", 2009.
struct Ranking {
    struct Score {
        var value: Double
        /// The column that gave most of it.
        var column: Column
        /// Position of the first match in the transcript.
        var transcriptPosition: Int?
    }

    let expression: MatchExpression
    let state: IndexState
    let now: Timestamp?

    private static let saturation = 1.2
    private static let titleLengthEffect = 0.5
    private static let textLengthEffect = 0.75

    /// `occurrences` is the blob of the C function of that name.
    func score(
        occurrences: UnsafeRawBufferPointer, titleLength: Int, textLength: Int, publishedAt: Int?,
        termScores: inout [Double]
    ) -> Score {
        for index in termScores.indices { termScores[index] = 0 }
        let count = max(1, Double(state.episodes))
        let title = normal(titleLength, Double(state.titleLength) / count, Self.titleLengthEffect)
        let text = normal(textLength, Double(state.textLength) / count, Self.textLengthEffect)
        var best = (column: Column.title, value: 0.0)
        let numbers = occurrences.count / 4
        for index in stride(from: 1, to: numbers, by: 1) {
            let number = occurrences.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self)
            let phrase = Int(number >> 16)
            guard phrase < expression.phrases.count, let term = expression.phrases[phrase].term,
                let column = Column(rawValue: Int(number >> 8 & 0xFF))
            else { continue }
            let length = column == .title ? title : column == .text ? text : 1
            let value = Double(number & 0xFF) * expression.phrases[phrase].factor * column.weight / length
            termScores[term] += value
            if value * expression.weights[term] > best.value { best = (column, value * expression.weights[term]) }
        }
        var value = 0.0
        for (frequency, weight) in zip(termScores, expression.weights) {
            value += weight * frequency * (Self.saturation + 1) / (frequency + Self.saturation)
        }
        let first = numbers > 0 ? occurrences.loadUnaligned(as: UInt32.self) : .max
        return Score(
            value: value * freshness(publishedAt), column: best.column,
            transcriptPosition: first == .max ? nil : Int(first))
    }

    private func normal(_ length: Int, _ average: Double, _ effect: Double) -> Double {
        average > 0 ? 1 - effect + effect * Double(length) / average : 1
    }

    private func freshness(_ publishedAt: Int?) -> Double {
        guard let now, let publishedAt else { return 1 }
        let years = max(0, Double(Int(now.seconds) - publishedAt)) / (365.25 * 86_400)
        return 1 + 0.3 * exp2(-years / 2)
    }
}
