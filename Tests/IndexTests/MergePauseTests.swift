import Foundation
import Synchronization
import Testing

@testable import Index

@Suite(.timeLimit(.minutes(1))) struct MergePauseTests {
    private final class Flag: Sendable {
        let isSet = Atomic(false)
    }

    @Test func `one builder pauses until the merge ends`() async {
        let (pause, isOver) = (MergePause(), Flag())
        // Nothing is merged.
        pause.waitIfMerging()
        pause.beginMerge()
        let (returns, continuation) = AsyncStream.makeStream(of: Bool.self)
        for _ in 0..<2 {
            Thread.detachNewThread {
                pause.waitIfMerging()
                continuation.yield(isOver.isSet.load(ordering: .sequentiallyConsistent))
            }
        }
        var iterator = returns.makeAsyncIterator()
        #expect(await iterator.next() == false, "The other one goes on.")
        isOver.isSet.store(true, ordering: .sequentiallyConsistent)
        pause.end()
        #expect(await iterator.next() == true)
        pause.waitIfMerging()
    }
}
