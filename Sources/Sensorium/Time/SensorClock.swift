/// The clock that everything waits on: sensors, time-outs, retries, joins.
///
/// An app uses `SystemClock`. A test uses the test kit's `VirtualClock`, which moves when the test
/// says so and runs every task that was started through `spawn`.
public protocol SensorClock: Clock, Sendable
where Duration == Swift.Duration, Instant == SensorInstant {
    /// Reads `domain` and boot time together; nil for a clock that cannot be read.
    func sample(_ domain: ClockDomain) -> ClockSample?

    /// Where tasks that wait on this clock run; nil for the default pool.
    var executor: (any TaskExecutor)? { get }
}

/// A clock that a task which it drives can move on itself.
package protocol ForwardClock: SensorClock {
    /// Moves on to `moment` at once, where a sleep until then would do nothing else.
    ///
    /// Call it only from a task that this clock runs.
    ///
    /// - Returns: false, and nothing moved, where anything else may come first: `sleep` then.
    func forward(to moment: SensorInstant) -> Bool
}

extension SensorClock {
    /// The default pool.
    public var executor: (any TaskExecutor)? { nil }

    /// Starts a task on this clock's executor.
    ///
    /// Sensors start every task through this, so that a virtual clock can drive it.
    @discardableResult
    public func spawn(
        _ name: String, _ work: @escaping @Sendable @concurrent () async -> Void
    ) -> Task<Void, Never> {
        // lint:allow(task) the one place where tasks are made
        Task.detached(name: name, executorPreference: executor, operation: work)
    }

    /// Waits for `duration`; returns early, without an error, when the task is cancelled.
    ///
    /// - Returns: whether the whole time passed.
    @discardableResult
    public func pause(for duration: Duration) async -> Bool {
        do {
            try await sleep(until: now.advanced(by: duration), tolerance: nil)
            return true
        } catch {
            return false
        }
    }

    /// Runs `work`, cancelled when it takes longer than `limit`.
    ///
    /// - Returns: the value, or nil when the time was up first. `work` must honour cancellation.
    public func within<T: Sendable>(
        _ limit: Duration, _ work: @escaping @Sendable () async -> T
    ) async -> T? {
        await withTaskGroup(of: T?.self) { group in
            group.addTask { await work() }
            group.addTask {
                await pause(for: limit)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
    }
}
