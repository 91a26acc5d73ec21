public import Domain
import Glibc

extension Timestamp {
    /// The current time. Nothing else reads the clock for Domain.
    public static var now: Timestamp { Timestamp(seconds: Int64(time(nil))) }
}
