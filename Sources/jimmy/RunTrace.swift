import Domain
import Glibc
import Presentation
import Recording
import Threads
import UseCases

/// Records a trace of a run: its spans, and every 20 ms the lengths of its queues, its threads and the number of busy
/// cores.
final class RunTrace: Sendable {
    private let file: TraceFile
    /// A thread of its own, so that the run never waits for the disk of the trace.
    private let thread: BlockingThread

    /// - Throws: `FailureLine`, `SystemFailure`.
    init(_ path: String) throws {
        thread = try BlockingThread(for: .other)
        file = try FailureLine.naming(path) { try TraceFile(path) }
    }

    var add: @Sendable (RunSpan) -> Void { { [file] in file.add($0) } }

    /// Records counters until it is cancelled.
    func watch(_ meter: RunMeter) -> Task<Void, Never> {
        Task(executorPreference: thread) { [file] in
            var last = (time: ContinuousClock.now, cpu: Self.cpuSeconds)
            while (try? await Task.sleep(for: .milliseconds(20))) != nil {
                let now = (time: ContinuousClock.now, cpu: Self.cpuSeconds)
                let busy = (now.cpu - last.cpu) / ((now.time - last.time) / .seconds(1))
                file.write(
                    counters: [("cores busy", busy), ("threads", Double(Self.threads))]
                        + meter.readings.map { ($0.name, Double($0.value)) })
                last = now
            }
        }
    }

    /// - Returns: the failure that left the file incomplete; nil if there was none.
    func finish() -> RecordingFailure? { file.finish() }

    private static var cpuSeconds: Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }

    /// The number of threads: the link count of a folder with one subfolder per thread.
    private static var threads: Int {
        var facts = stat()
        return stat("/proc/self/task", &facts) == 0 ? max(1, Int(facts.st_nlink) - 2) : 1
    }
}
