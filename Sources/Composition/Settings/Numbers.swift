public import ArgumentParser

/// A whole number, 0 or more.
public struct Count: ExpressibleByArgument, Sendable {
    public let value: Int

    public init(_ value: Int) { self.value = value }

    public init?(argument: String) {
        guard let value = Int(argument), value >= 0 else { return nil }
        self.value = value
    }

    public var defaultValueDescription: String { String(value) }
}

/// A whole number within bounds.
public struct Number<Range: NumberRange>: ExpressibleByArgument, Sendable {
    public let value: Int

    public init(_ value: Int) { self.value = value }

    public init?(argument: String) {
        guard let value = Int(argument), Range.bounds.contains(value) else { return nil }
        self.value = value
    }

    public var defaultValueDescription: String { String(value) }
}

/// The bounds of a number; messages name them (`ValueForm`, `Setting.form`).
public protocol NumberRange {
    static var bounds: ClosedRange<Int> { get }
}

/// Number of fetches at the same time.
public enum Simultaneous: NumberRange {
    public static let bounds = 1...512
}

/// Number of speech recognisers at the same time.
public enum Recognizers: NumberRange {
    public static let bounds = 1...64
}

/// How much a program gives way to others, as of nice(1).
public enum Niceness: NumberRange {
    public static let bounds = 0...19
}

/// Seconds without a fraction.
public enum WholeSeconds: NumberRange {
    public static let bounds = 1...86_400
}

/// Seconds, possibly with a fraction.
public struct Seconds: ExpressibleByArgument, Sendable {
    public let value: Double

    public init(_ value: Double) { self.value = value }

    public init?(argument: String) {
        guard let value = Double(argument), value > 0, value <= 86_400 else { return nil }
        self.value = value
    }

    public var defaultValueDescription: String { value == value.rounded() ? String(Int(value)) : String(value) }
}

/// A number of bytes: `1000000`, `64M`, `1G` (powers of 1024).
public struct ByteCount: ExpressibleByArgument, Sendable {
    public let value: Int

    public init(_ value: Int) { self.value = value }

    public init?(argument: String) {
        let units: [Character: Int] = ["k": 10, "m": 20, "g": 30]
        let shift = argument.last.flatMap { units[Character($0.lowercased())] }
        let digits = shift == nil ? argument[...] : argument.dropLast()
        guard let number = Int(digits), number > 0, number <= Int.max >> (shift ?? 0) else { return nil }
        value = number << (shift ?? 0)
    }

    public var defaultValueDescription: String { value % (1 << 20) == 0 ? "\(value >> 20)M" : String(value) }
}
