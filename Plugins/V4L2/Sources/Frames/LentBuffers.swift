import Sensorium

/// The buffers of one capture: some are the device's, some are lent to consumers.
///
/// What is lent comes back from any thread, and is given to the device by the session's own. A
/// buffer's memory stays until its frame is released, also after the capture has ended.
package final class LentBuffers: Sendable {
    private struct State {
        var owners: [Owner]
        var returned: [Int] = []
        var lentCount = 0
    }

    private enum Owner {
        case plugin
        case device
        case consumer
    }

    /// How many may be lent at once: two always stay with the device, so that it never has to stop.
    package let limit: Int
    private let memories: [any V4L2Memory]
    private let ledger: Ledger

    /// What is left of the buffers once the capture is over and frames are still lent.
    private final class Ledger: Sendable {
        let state: Guarded<State>

        init(count: Int) {
            state = Guarded(State(owners: Array(repeating: .plugin, count: count)))
        }

        func takeBack(_ index: Int) {
            state.withLock { state in
                state.returned.append(index)
                state.lentCount -= 1
            }
        }
    }

    /// Manages the mapped buffers of a capture.
    package init(_ memories: [any V4L2Memory]) {
        self.memories = memories
        limit = max(1, memories.count - 2)
        ledger = Ledger(count: memories.count)
    }

    /// How many there are.
    package var count: Int { memories.count }

    /// How many are lent now.
    package var lentCount: Int { ledger.state.withLock { $0.lentCount } }

    /// The memory of a buffer.
    package func bytes(of index: Int) -> UnsafeRawBufferPointer { memories[index].bytes }

    /// Notes that the device has the buffer.
    package func noteQueued(_ index: Int) { ledger.state.withLock { $0.owners[index] = .device } }

    /// Notes that the device gave a buffer back; false where it did not have it.
    package func noteDequeued(_ index: Int) -> Bool {
        ledger.state.withLock { state in
            guard state.owners.indices.contains(index), state.owners[index] == .device else {
                return false
            }
            state.owners[index] = .plugin
            return true
        }
    }

    /// Takes a buffer that consumers have released; nil where there is none.
    package func takeReturned() -> Int? {
        ledger.state.withLock { state in
            guard let index = state.returned.popLast() else { return nil }
            state.owners[index] = .plugin
            return index
        }
    }

    /// Lends the first bytes of a buffer; nil where consumers hold as many as they may.
    package func lend(_ index: Int, length: Int) -> FrameStorage? {
        let isFree = ledger.state.withLock { state in
            guard state.lentCount < limit else { return false }
            state.lentCount += 1
            state.owners[index] = .consumer
            return true
        }
        guard isFree else { return nil }
        let memory = memories[index]
        let ledger = ledger
        return FrameStorage(
            bytes: UnsafeRawBufferPointer(rebasing: memory.bytes.prefix(length))
        ) {
            ledger.takeBack(index)
            // Named, so that the memory is kept until now.
            withExtendedLifetime(memory) {}
        }
    }
}
