/// How an episode's chance is spread over a day.
extension PublishingHabit {
    struct DayHours {
        /// The parts of a day: each hour, split after each step in which episodes were. By their last steps, counted from 1.
        private(set) var ends: [Int] = []
        /// Of each part, the weight of the episodes, and what those of a weekday have in addition.
        private var ofAll: [Double]
        private var ofWeekday: [Double]
        /// For each weekday what a weight is worth.
        private var worth: [Double]
        /// Of each part, the chance of an episode near the usual ones, or at any time.
        private var elsewhere: [Double] = []

        /// Part of an episode's chance that falls within the hour around its time of day, and anywhere in the day.
        private static let (aroundShare, anyTimeShare) = (0.2, 0.06)
        /// How much an episode of the same weekday outweighs one of another.
        private static let sameWeekday = 3.0

        init(of habit: PublishingHabit) {
            let steps = habit.dates.map { Int(secondOfDay($0 - habit.dayStart) / step) }
            var counts = [Double](repeating: 0, count: stepsADay)
            var sum = 0.0
            for (number, step) in steps.enumerated() where !habit.isWithoutHour[number] {
                counts[step] += weights[number]
                sum += weights[number]
            }
            let precise = (1 - Self.aroundShare) * (1 - Self.anyTimeShare)
            let around = sum > 0 ? Self.aroundShare * (1 - Self.anyTimeShare) / sum : 0
            let anyTime = (sum > 0 ? Self.anyTimeShare : 1) / Double(stepsADay)
            var partOfStep = [Int](repeating: 0, count: stepsADay)
            ends.reserveCapacity(stepsADay)
            elsewhere.reserveCapacity(stepsADay)
            var other = 0.0
            for (step, near) in Self.smoothed(counts).enumerated() {
                other += around * near + anyTime
                partOfStep[step] = ends.count
                guard counts[step] > 0 || step % 6 == 5 else { continue }
                ends.append(step + 1)
                elsewhere.append(other)
                other = 0
            }
            ofAll = [Double](repeating: 0, count: ends.count)
            ofWeekday = [Double](repeating: 0, count: 7 * ends.count)
            worth = [Double](repeating: sum, count: 7)
            for (number, step) in steps.enumerated() where !habit.isWithoutHour[number] {
                let (part, weekday) = (partOfStep[step], weekday(of: habit.days[number]))
                ofAll[part] += weights[number]
                ofWeekday[weekday * ends.count + part] += (Self.sameWeekday - 1) * weights[number]
                worth[weekday] += (Self.sameWeekday - 1) * weights[number]
            }
            for weekday in 0..<7 { worth[weekday] = sum > 0 ? precise / worth[weekday] : 0 }
        }

        func share(of part: Int, on weekday: Int) -> Double {
            (ofAll[part] + ofWeekday[weekday * ends.count + part]) * worth[weekday] + elsewhere[part]
        }

        /// Each step's weight spread over itself and five steps before and after it, as a triangle: two means of six in a row.
        private static func smoothed(_ counts: [Double]) -> [Double] {
            let means = ofSix(counts, from: 0)
            return ofSix(means, from: -5)
        }

        /// For each step the mean of six in a row, of which the first is so many steps later.
        private static func ofSix(_ values: [Double], from offset: Int) -> [Double] {
            let count = values.count
            var first = (offset + count) % count
            var (end, sum) = (first, 0.0)
            for _ in 0..<6 {
                sum += values[end]
                end = end + 1 == count ? 0 : end + 1
            }
            return values.indices.map { _ in
                defer {
                    sum += values[end] - values[first]
                    first = first + 1 == count ? 0 : first + 1
                    end = end + 1 == count ? 0 : end + 1
                }
                return sum / 6
            }
        }
    }
}
