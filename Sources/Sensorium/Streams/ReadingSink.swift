/// Where a session puts its readings.
///
/// Calls may come from any thread, one at a time for one session. None blocks.
public struct ReadingSink<Reading: SensorReading>: Sendable {
    @usableFromInline let target: any SinkTarget<Reading>

    @inlinable
    package init(_ target: any SinkTarget<Reading>) { self.target = target }

    /// Makes a sink of closures.
    ///
    /// They must not call back into the sensor.
    ///
    /// - Parameters:
    ///   - deliver: takes readings, which are valid during the call.
    ///   - report: takes status changes.
    ///   - lose: takes losses.
    ///   - finish: called once, last; with an error where the sensor ended by one.
    public init(
        deliver: @escaping @Sendable (Span<Reading>) -> Void,
        report: @escaping @Sendable (SensorStatus) -> Void = { _ in },
        lose: @escaping @Sendable (ReadingLoss) -> Void = { _ in },
        finish: @escaping @Sendable (SensorError?) -> Void = { _ in }
    ) {
        target = ClosureTarget(onDeliver: deliver, onReport: report, onLose: lose, onFinish: finish)
    }

    /// Delivers readings in order; they are copied during the call.
    @inlinable
    public func deliver(_ readings: Span<Reading>) { target.deliver(readings) }

    /// Delivers one reading.
    @inlinable
    public func deliver(_ reading: Reading) { target.deliver(one: reading) }

    /// Tells how the sensor does.
    public func report(_ status: SensorStatus) { target.report(status) }

    /// Counts readings that are lost.
    public func lose(_ count: Int, _ reason: ReadingLoss.Reason) {
        if count > 0 { target.lose(ReadingLoss(count: count, reason: reason)) }
    }

    /// Ends the readings, with an error where that is why.
    ///
    /// Later calls do nothing.
    public func finish(_ error: SensorError? = nil) { target.finish(error) }
}

/// What a sink delivers into: a ring, a fan-out, a join, the plugin boundary.
@usableFromInline
package protocol SinkTarget<Reading>: AnyObject, Sendable {
    associatedtype Reading: SensorReading
    func deliver(_ readings: Span<Reading>)
    func deliver(one reading: Reading)
    func report(_ status: SensorStatus)
    func lose(_ loss: ReadingLoss)
    func finish(_ error: SensorError?)
}

final class ClosureTarget<Reading: SensorReading>: SinkTarget {
    private let onDeliver: @Sendable (Span<Reading>) -> Void
    private let onReport: @Sendable (SensorStatus) -> Void
    private let onLose: @Sendable (ReadingLoss) -> Void
    private let onFinish: @Sendable (SensorError?) -> Void
    private let finished = Guarded(false)

    init(
        onDeliver: @escaping @Sendable (Span<Reading>) -> Void,
        onReport: @escaping @Sendable (SensorStatus) -> Void,
        onLose: @escaping @Sendable (ReadingLoss) -> Void,
        onFinish: @escaping @Sendable (SensorError?) -> Void
    ) {
        self.onDeliver = onDeliver
        self.onReport = onReport
        self.onLose = onLose
        self.onFinish = onFinish
    }

    func deliver(_ readings: Span<Reading>) { onDeliver(readings) }

    func deliver(one reading: Reading) {
        withUnsafePointer(to: reading) { pointer in
            onDeliver(UnsafeBufferPointer(start: pointer, count: 1).span)
        }
    }

    func report(_ status: SensorStatus) { onReport(status) }

    func lose(_ loss: ReadingLoss) { onLose(loss) }

    func finish(_ error: SensorError?) {
        let isFirst = finished.withLock { done in
            defer { done = true }
            return !done
        }
        if isFirst { onFinish(error) }
    }
}
