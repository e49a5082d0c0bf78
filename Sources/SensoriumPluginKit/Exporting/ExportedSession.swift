import CSensorium
import Sensorium

/// An open sensor of this image, behind a `sensorium_session *`.
final class ExportedSession: Sendable {
    private let session: any SensorSession
    private let clock: HostClock

    init(_ session: any SensorSession, clock: HostClock) {
        self.session = session
        self.clock = clock
    }

    /// A pointer that owns a reference, which `close` gives back.
    func retainedPointer() -> OpaquePointer {
        OpaquePointer(Unmanaged.passRetained(self).toOpaque())
    }

    static func of(_ pointer: OpaquePointer?) -> ExportedSession? {
        pointer.map {
            Unmanaged<ExportedSession>.fromOpaque(UnsafeRawPointer($0)).takeUnretainedValue()
        }
    }

    func reconfigure(
        _ request: UnsafePointer<sensorium_request>?,
        _ done: Completion<sensorium_reconfigured>
    ) {
        let request = request.map { SamplingRequest($0.pointee) } ?? .default
        clock.spawn("reconfigure") { [session] in
            do throws(SensorError) {
                try await session.reconfigure(request)
                done.function(done.argument, session.grantedRate ?? 0, nil)
            } catch {
                let rate = session.grantedRate ?? 0
                SensorError.withBoundaryForm(error) { done.function(done.argument, rate, $0) }
            }
        }
    }

    func close(_ closed: Completion<sensorium_closed>) {
        let owned = Unmanaged.passUnretained(self)
        clock.spawn("close") { [session] in
            await session.close()
            owned.release()
            closed.function(closed.argument)
        }
    }
}

/// The sink of one session: everything goes to the host in the order of the calls.
final class ReceiverOutlet<Reading: BoundaryReading>: SinkTarget {
    private let receiver: HostReceiver
    private let isFinished = Guarded(false)

    init(_ receiver: HostReceiver) { self.receiver = receiver }

    func deliver(_ readings: Span<Reading>) {
        if !readings.isEmpty { Reading.lend(readings, to: receiver) }
    }

    func deliver(one reading: Reading) {
        withUnsafePointer(to: reading) { pointer in
            Reading.lend(UnsafeBufferPointer(start: pointer, count: 1).span, to: receiver)
        }
    }

    func report(_ status: SensorStatus) { receiver.report(status) }

    func lose(_ loss: ReadingLoss) { receiver.lose(loss) }

    func finish(_ error: SensorError?) {
        let isFirst = isFinished.withLock { finished in
            defer { finished = true }
            return !finished
        }
        if isFirst { receiver.finish(error) }
    }
}
