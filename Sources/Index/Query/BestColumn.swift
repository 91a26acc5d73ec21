/// The column that contributes most to a document's score.
struct BestColumn {
    private(set) var column = Column.title
    /// Position of the first match in the transcript.
    private(set) var transcriptPosition: Int?

    /// - Parameter lengths: the length codes of the document at which `matches` is.
    init(_ matches: SegmentMatches, _ lengths: UInt16, _ ranking: Ranking, _ occurrences: OccurrenceList) {
        var most = 0.0
        matches.eachScoringLeaf { leaf, cursor in
            guard let term = leaf.term else { return }
            occurrences.removeAll()
            cursor.read(into: occurrences)
            var first = 0
            while first < occurrences.count {
                let (number, origin) = (occurrences[first].column, occurrences[first].origin)
                var next = first + 1
                while next < occurrences.count, occurrences[next].column == number { next += 1 }
                if let column = origin {
                    var frequency = TermFrequency()
                    for _ in first..<next { frequency.add(number) }
                    let value = Double(leaf.factor * ranking.weights.weigh(frequency, lengths: lengths)) * ranking.terms[term]
                    if value > most { (most, self.column) = (value, column) }
                    if number == Column.transcript.rawValue {
                        transcriptPosition = min(transcriptPosition ?? .max, Int(occurrences[first].position))
                    }
                }
                first = next
            }
        }
    }
}
