import Foundation
import Synchronization
import Testing

@testable import Index

@Suite(.timeLimit(.minutes(1))) struct MergeRestTests {
    private final class Flag: Sendable {
        let isSet = Atomic(false)
    }

    @Test func oneBuilderRestsUntilTheMergeEnds() async {
        let (rest, isOver) = (MergeRest(), Flag())
        // Nothing is merged.
        rest.take()
        rest.beginMerge()
        let (returns, continuation) = AsyncStream.makeStream(of: Bool.self)
        for _ in 0..<2 {
            Thread.detachNewThread {
                rest.take()
                continuation.yield(isOver.isSet.load(ordering: .sequentiallyConsistent))
            }
        }
        var iterator = returns.makeAsyncIterator()
        #expect(await iterator.next() == false, "The other one goes on.")
        isOver.isSet.store(true, ordering: .sequentiallyConsistent)
        rest.end()
        #expect(await iterator.next() == true)
        rest.take()
    }
}
