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
        var value = 0.0
        /// The column that gave most of it.
        var column = Column.title
        /// Position of the first match in the transcript.
        var transcriptPosition: Int?
    }

    private let weights: [Double]
    private let usual: (title: Double, text: Double)
    private let now: Timestamp?
    private var termScores: [Double]
    private let occurrences = OccurrenceList()

    private static let saturation = 1.2
    private static let titleLengthEffect = 0.5
    private static let textLengthEffect = 0.75
    private static let columns = Column.allCases

    init(_ expression: MatchExpression, _ snapshot: IndexSnapshot, now: Timestamp?) {
        weights = expression.weights
        usual = snapshot.usualLengths
        self.now = now
        termScores = [Double](repeating: 0, count: weights.count)
    }

    /// The score of the document at which `matches` stands.
    mutating func score(_ matches: SegmentMatches, in segment: Segment) -> Score {
        let document = matches.cursor.document
        for index in termScores.indices { termScores[index] = 0 }
        let title = normal(segment.titleLength(document), usual.title, Self.titleLengthEffect)
        let text = normal(segment.textLength(document), usual.text, Self.textLengthEffect)
        var score = Score()
        var best = 0.0
        matches.eachOccurrence(occurrences) { leaf in
            guard let term = leaf.term else { return }
            var first = 0
            while first < occurrences.count {
                let number = occurrences[first].column
                var next = first + 1
                while next < occurrences.count, occurrences[next].column == number { next += 1 }
                if number < Self.columns.count {
                    let column = Self.columns[number]
                    let length = column == .title ? title : column == .text ? text : 1
                    let value = Double(min(next - first, 255)) * leaf.factor * column.weight / length
                    termScores[term] += value
                    if value * weights[term] > best {
                        best = value * weights[term]
                        score.column = column
                    }
                    if column == .transcript {
                        score.transcriptPosition = min(score.transcriptPosition ?? .max, Int(occurrences[first].position))
                    }
                }
                first = next
            }
        }
        for (frequency, weight) in zip(termScores, weights) {
            score.value += weight * frequency * (Self.saturation + 1) / (frequency + Self.saturation)
        }
        score.value *= freshness(segment.published(document))
        return score
    }

    private func normal(_ length: Int, _ average: Double, _ effect: Double) -> Double {
        average > 0 ? 1 - effect + effect * Double(length) / average : 1
    }

    private func freshness(_ publishedAt: UInt32) -> Double {
        guard let now, publishedAt != 0 else { return 1 }
        let years = max(0, Double(now.seconds - Int64(publishedAt))) / (365.25 * 86_400)
        return 1 + 0.3 * exp2(-years / 2)
    }
}
