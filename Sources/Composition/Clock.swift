public import Domain
import Glibc

extension Timestamp {
    /// The one place that reads the clock for Domain.
    public static var now: Timestamp { Timestamp(seconds: Int64(time(nil))) }
}
