import Domain
import Synchronization

/// Hands values from one stage of a pipeline to the next, in order. `send` waits while the handover is full, so that a
/// slow stage slows those before it.
///
/// Cancellation has no effect here: values already sent are delivered, and a stage ends once the one before it has
/// called `close`.
final class Handover<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        /// Number of elements at the front that were already taken.
        var taken = 0
        var weight = 0
        var isClosed = false
        var senders: [CheckedContinuation<Void, Never>] = []
        var receivers: [CheckedContinuation<Void, Never>] = []
        /// Set while a task waits for a batch.
        var batch: Batch?
        /// Counts the batches, so that a late timer does not cut short the next one.
        var batches = 0

        var count: Int { elements.count - taken }

        mutating func take() -> Element? {
            guard taken < elements.count else { return nil }
            let element = elements[taken]
            taken += 1
            if taken == elements.count {
                elements.removeAll(keepingCapacity: true)
                taken = 0
            } else if taken >= 1_024 {
                elements.removeFirst(taken)
                taken = 0
            }
            return element
        }

        mutating func takeSenders() -> [CheckedContinuation<Void, Never>] {
            defer { senders = [] }
            return senders
        }

        mutating func takeAll() -> [Element] {
            defer { (elements, taken, weight) = ([], 0, 0) }
            return taken == 0 ? elements : Array(elements[taken...])
        }
    }

    private struct Batch {
        let size: BatchSize
        let continuation: CheckedContinuation<Void, Never>
        var hasTimer = false
    }

    private let capacity: Int
    private let state = Mutex(State())

    /// Number of values not yet taken.
    var length: Int { state.withLock { $0.count } }

    init(capacity: Int) { self.capacity = max(1, capacity) }

    // MARK: The stage before

    /// - Parameter weight: approximate size in bytes; counts for batches.
    func send(_ element: Element, weight: Int = 0) async {
        let (isFull, wake, timer) = state.withLock { state -> (Bool, CheckedContinuation<Void, Never>?, (Duration, Int)?) in
            state.elements.append(element)
            state.weight += weight
            let isFull = state.count >= capacity
            guard var batch = state.batch else { return (isFull, state.receivers.popLast(), nil) }
            let size = batch.size
            if isFull || state.count >= size.count || state.weight >= size.weight || size.maxWait == .zero {
                state.batch = nil
                return (isFull, batch.continuation, nil)
            }
            if batch.hasTimer { return (isFull, nil, nil) }
            batch.hasTimer = true
            state.batch = batch
            return (isFull, nil, (batch.size.maxWait, state.batches))
        }
        wake?.resume()
        if let (maxWait, number) = timer { start(maxWait, number) }
        if isFull { await waitForRoom() }
    }

    /// Ends the handover: nothing more is sent.
    func close() {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.isClosed = true
            defer { (state.receivers, state.batch) = ([], nil) }
            return state.receivers + [state.batch?.continuation].compactMap(\.self)
        }
        waiting.forEach { $0.resume() }
    }

    private func waitForRoom() async {
        await withCheckedContinuation { continuation in
            let hasRoom = state.withLock { state in
                if state.count < capacity { return true }
                state.senders.append(continuation)
                return false
            }
            if hasRoom { continuation.resume() }
        }
    }

    // MARK: The stage after

    /// The next value; nil after the last. Any number of tasks may call it.
    func next() async -> Element? {
        while true {
            let (element, isClosed, senders) = state.withLock { state in
                let element = state.take()
                return (element, state.isClosed, state.count < capacity ? state.takeSenders() : [])
            }
            senders.forEach { $0.resume() }
            if element != nil || isClosed { return element }
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    if state.count > 0 || state.isClosed { return true }
                    state.receivers.append(continuation)
                    return false
                }
                if isReady { continuation.resume() }
            }
        }
    }

    /// All values sent so far, once they make a large enough batch, have waited long enough, or are the last. nil after
    /// the last. Only one task may call it, and none may call `next`.
    func batch(_ size: BatchSize) async -> [Element]? {
        await withCheckedContinuation { continuation in
            let (isReady, timer) = state.withLock { state -> (Bool, Int?) in
                state.batches += 1
                let minCount = size.maxWait == .zero ? 1 : min(size.count, capacity)
                let isLarge = state.count >= minCount || state.weight >= size.weight
                if isLarge || state.isClosed { return (true, nil) }
                state.batch = Batch(size: size, continuation: continuation, hasTimer: state.count > 0)
                return (false, state.count > 0 ? state.batches : nil)
            }
            if isReady { continuation.resume() }
            if let timer { start(size.maxWait, timer) }
        }
        let (elements, senders) = state.withLock { ($0.takeAll(), $0.takeSenders()) }
        senders.forEach { $0.resume() }
        return elements.isEmpty ? nil : elements
    }

    private func start(_ maxWait: Duration, _ number: Int) {
        Task {
            try? await Task.sleep(for: maxWait)
            let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
                guard state.batches == number else { return nil }
                defer { state.batch = nil }
                return state.batch?.continuation
            }
            waiting?.resume()
        }
    }
}

/// The size at which a batch is handed over.
struct BatchSize: Sendable {
    let count: Int
    /// Bytes.
    let weight: Int
    /// The longest time that a smaller batch waits.
    let maxWait: Duration
}
