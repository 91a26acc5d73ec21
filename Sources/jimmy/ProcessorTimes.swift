import Domain
import Results
import Threads

extension ProcessorTimes {
    /// The times that this process has used so far.
    static var now: ProcessorTimes {
        var times = ProcessorTimes()
        times.fetching = ProcessorTime.spent(on: .fetching)
        times.storing = ProcessorTime.spent(on: .storing)
        times.indexing = ProcessorTime.spent(on: .indexing)
        times.parsing = ProcessorTime.whole - times.fetching - times.storing - times.indexing
        return times
    }
}
