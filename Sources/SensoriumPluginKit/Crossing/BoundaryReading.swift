import CSensorium
import Sensorium

/// A reading that can cross the boundary.
///
/// `accept` and `lend` handle a whole batch, and each conformance has its own, though they all look
/// alike: code that is reached through `any Sensor` is never specialised by itself, and a reading
/// must cross in nanoseconds.
protocol BoundaryReading: SensorReading {
    /// The size of the struct that it crosses as.
    static var boundarySize: Int { get }
    /// Copies a reading from such a struct; nil where it makes no sense.
    init?(boundaryForm: UnsafeRawPointer)
    /// Copies the readings of a batch into `sink`; those that make no sense are counted as lost.
    ///
    /// - Throws: when the batch is none that can be read; nothing is delivered then.
    static func accept(
        _ batch: UnsafePointer<sensorium_batch>?, into sink: ReadingSink<Self>
    ) throws(LentBatch.Fault)
    /// Lends readings to the host for the length of a call.
    static func lend(_ readings: Span<Self>, to receiver: HostReceiver)
}

/// A reading that crosses as a struct without anything lent beside it.
protocol FlatBoundaryReading: BoundaryReading {
    /// Makes the struct.
    func write(boundaryForm: UnsafeMutableRawPointer)
}

/// A batch of a loaded plugin, as far as it can be checked.
struct LentBatch {
    let readings: UnsafeRawPointer
    let count: Int
    let stride: Int

    /// Why a batch was thrown away whole.
    enum Fault: Error, Equatable {
        /// It has no size, no readings, or more than the boundary allows.
        case malformed
        /// It is of another kind than its sensor.
        case kind(UInt32)
    }

    /// Checks a batch of readings of `kind`, each of `size` bytes.
    init(
        _ batch: UnsafePointer<sensorium_batch>?, kind: SensorKind, size: Int
    ) throws(Fault) {
        guard let batch = batch?.pointee, let readings = batch.readings,
            batch.size >= UInt32(MemoryLayout<sensorium_batch>.size),
            batch.count > 0, batch.count <= SENSORIUM_BATCH_LIMIT, batch.stride >= UInt32(size)
        else { throw .malformed }
        guard batch.kind == kind.rawValue else { throw .kind(batch.kind) }
        self.readings = UnsafeRawPointer(readings)
        count = Int(batch.count)
        stride = Int(batch.stride)
    }
}

extension BoundaryReading {
    /// How many readings are converted between two calls of a sink; bounds the memory for them.
    @inline(__always) fileprivate static var pieceSize: Int { 256 }

    /// The loop of `accept`.
    @inline(__always)
    static func acceptEach(
        _ batch: UnsafePointer<sensorium_batch>?, into sink: ReadingSink<Self>
    ) throws(LentBatch.Fault) {
        let batch = try LentBatch(batch, kind: kind, size: boundarySize)
        withUnsafeTemporaryAllocation(
            of: Self.self, capacity: min(batch.count, pieceSize)
        ) { piece in
            guard let start = piece.baseAddress else { return }
            var source = batch.readings
            var left = batch.count
            while left > 0 {
                let number = min(left, piece.count)
                var made = 0
                for _ in 0..<number {
                    if let reading = Self(boundaryForm: source) {
                        (start + made).initialize(to: reading)
                        made += 1
                    }
                    source += batch.stride
                }
                left -= number
                if made > 0 {
                    sink.deliver(UnsafeBufferPointer(start: start, count: made).span)
                    start.deinitialize(count: made)
                }
                if made < number { sink.lose(number - made, .implausible) }
            }
        }
    }

}

extension FlatBoundaryReading {
    /// The loop of `lend`.
    @inline(__always)
    static func lendEach(_ readings: Span<Self>, to receiver: HostReceiver) {
        let pieceCount = min(readings.count, pieceSize)
        let size = boundarySize
        withUnsafeTemporaryAllocation(byteCount: pieceCount * size, alignment: 16) { piece in
            guard let start = piece.baseAddress else { return }
            readings.withUnsafeBufferPointer { readings in
                var next = 0
                while next < readings.count {
                    let number = min(readings.count - next, pieceCount)
                    for index in 0..<number {
                        readings[next + index].write(boundaryForm: start + index * size)
                    }
                    receiver.deliver(kind: kind, count: number, stride: size, readings: start)
                    next += number
                }
            }
        }
    }
}

/// Where a session in a loaded plugin puts its readings: the host's functions, copied.
struct HostReceiver: @unchecked Sendable {  // no lock: constants, and functions for any thread
    private let context: UnsafeMutableRawPointer?
    private let onDeliver:
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafePointer<sensorium_batch>?
        ) -> Void
    private let onStatus:
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafePointer<sensorium_status>?
        ) -> Void
    private let onLosses:
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafePointer<sensorium_losses>?
        ) -> Void
    private let onFinish:
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafePointer<sensorium_failure>?
        ) -> Void

    /// Copies a receiver; nil where it lacks a function.
    init?(_ receiver: UnsafePointer<sensorium_receiver>?) {
        guard let receiver = receiver?.pointee, let deliver = receiver.deliver,
            let status = receiver.status, let losses = receiver.losses,
            let finish = receiver.finish
        else { return nil }
        context = receiver.context
        onDeliver = deliver
        onStatus = status
        onLosses = losses
        onFinish = finish
    }

    @inline(__always)
    func deliver(kind: SensorKind, count: Int, stride: Int, readings: UnsafeRawPointer) {
        var batch = sensorium_batch(
            size: UInt32(MemoryLayout<sensorium_batch>.size), kind: kind.rawValue,
            count: UInt32(truncatingIfNeeded: count), stride: UInt32(truncatingIfNeeded: stride),
            readings: readings)
        onDeliver(context, &batch)
    }

    func report(_ status: SensorStatus) {
        status.withBoundaryForm { onStatus(context, $0) }
    }

    func lose(_ loss: ReadingLoss) {
        var losses = sensorium_losses(
            size: UInt32(MemoryLayout<sensorium_losses>.size),
            reason: UInt32(loss.reason.rawValue), count: UInt64(clamping: loss.count))
        onLosses(context, &losses)
    }

    func finish(_ error: SensorError?) {
        SensorError.withBoundaryForm(error) { onFinish(context, $0) }
    }
}
