/// How often a term occurs in a document, as ranking needs it: in the text, in the title, and in all other columns
/// together by their weights. Only the first two are set against the length. See `Ranking`.
struct TermFrequency: Hashable {
    /// From the lowest byte on: text, title, and the sum of the other columns' weights in sixteenths. 255 means 255 or
    /// more.
    private(set) var number: UInt32

    /// Once in the text and nowhere else, the most common frequency.
    static let once = TermFrequency(number: 1)

    @inline(__always) init(number: UInt32 = 0) { self.number = number }

    var text: UInt32 { number & 0xFF }
    var title: UInt32 { number >> 8 & 0xFF }
    var others: UInt32 { number >> 16 & 0xFF }

    /// Whether the size of the positions is stored before them. Otherwise it follows from the frequency.
    @inline(__always) var isSized: Bool { number == 0 || others > 0 || text == 255 || title == 255 }

    /// The count of numbers that encode the positions, unless their size is stored. A title adds the two that announce
    /// another column.
    @inline(__always) var positionNumbers: Int { Int(text + title) + (title > 0 ? 2 : 0) }

    /// Adds one occurrence.
    @inline(__always) mutating func add(_ column: Int) {
        if column == Column.text.rawValue {
            if text < 255 { number += 1 }
        } else if column == Column.title.rawValue {
            if title < 255 { number += 1 << 8 }
        } else {
            number = number & 0xFFFF | min(255, others + Self.sixteenths[column & 15]) << 16
        }
    }

    private static let sixteenths: InlineArray<16, UInt32> = {
        var sixteenths = InlineArray<16, UInt32>(repeating: 0)
        for column in Column.allCases { sixteenths[column.rawValue] = UInt32(column.weight * 16) }
        return sixteenths
    }()

    /// The frequency of both terms together.
    func adding(_ other: TermFrequency) -> TermFrequency {
        TermFrequency(
            number: min(255, text + other.text) | min(255, title + other.title) << 8 | min(255, others + other.others) << 16)
    }

    /// The smaller of the two in each part.
    func pointwiseMin(_ other: TermFrequency) -> TermFrequency {
        TermFrequency(number: min(text, other.text) | min(title, other.title) << 8 | min(others, other.others) << 16)
    }
}

/// The length of a title or a text in one byte: exact up to 32, then in sixteen steps for each doubling, up to half a
/// megabyte.
struct LengthCode {
    let value: UInt8

    /// - Parameter bytes: rounded up to a length that has a code.
    init(bytes: Int) {
        value = bytes <= 0 ? 0 : UInt8(clamping: (0..<256).partitioningIndex { Self.lengths[$0] >= bytes })
    }

    @inline(__always) init(value: UInt8) { self.value = value }

    var bytes: Int { Self.lengths[Int(value)] }

    /// The length of each code: 0, 1, 2, … 31, and then sixteen equal steps between powers of two.
    private static let lengths: [Int] = (0..<256).map { code in
        code < 32 ? code : (32 << ((code - 32) / 16)) * (16 + (code - 32) % 16) / 16
    }
}

extension Range<Int> {
    /// The first number that passes the test, or the end of the range. All numbers after a passing one must pass too.
    @inline(__always) func partitioningIndex(where test: (Int) -> Bool) -> Int {
        var (low, high) = (lowerBound, upperBound)
        while low < high {
            let middle = (low + high) / 2
            if test(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// The weight of one occurrence of a term by the length of the document, for given usual lengths. A term weighs less in
/// a long text than in a short one.
final class FrequencyWeights {
    let averageTitle: Double
    let averageText: Double
    private let title: UnsafeMutablePointer<Float>
    private let text: UnsafeMutablePointer<Float>

    private static let titleLengthEffect = 0.5
    private static let textLengthEffect = 0.75

    /// - Parameters: usual lengths in bytes.
    init(averageTitle: Double, averageText: Double) {
        (self.averageTitle, self.averageText) = (averageTitle, averageText)
        func weights(_ average: Double, _ effect: Double, _ weight: Double) -> UnsafeMutablePointer<Float> {
            let weights = UnsafeMutablePointer<Float>.allocate(capacity: 256)
            for code in 0..<256 {
                let length = Double(LengthCode(value: UInt8(code)).bytes)
                weights[code] = Float(weight / (average > 0 ? 1 - effect + effect * length / average : 1))
            }
            return weights
        }
        title = weights(averageTitle, Self.titleLengthEffect, Column.title.weight)
        text = weights(averageText, Self.textLengthEffect, Column.text.weight)
    }

    deinit {
        title.deallocate()
        text.deallocate()
    }

    /// - Parameter lengths: codes of the text's length (lower byte) and the title's.
    @inline(__always) func weigh(_ frequency: TermFrequency, lengths: UInt16) -> Float {
        Float(frequency.text) * text[Int(lengths & 0xFF)] + Float(frequency.title) * title[Int(lengths >> 8)]
            + Float(frequency.others) * 0.0625
    }

    /// The most that a frequency weighs in documents of any length.
    @inline(__always) func maxWeight(_ frequency: TermFrequency) -> Float {
        Float(frequency.text) * text[0] + Float(frequency.title) * title[0] + Float(frequency.others) * 0.0625
    }

    /// The factor by which a frequency may weigh more than with older usual lengths, at most.
    func growth(since old: (title: Double, text: Double)) -> Float {
        func growth(_ new: Double, _ old: Double, _ effect: Double) -> Double {
            old > 0 ? max(1, new / old) : 1 / (1 - effect)
        }
        return Float(
            max(
                growth(averageTitle, old.title, Self.titleLengthEffect),
                growth(averageText, old.text, Self.textLengthEffect))) * 1.000_01
    }
}
