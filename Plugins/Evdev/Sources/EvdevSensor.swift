import Sensorium
import SensoriumPluginKit

/// The touches, or the keys, of an input device of this machine.
///
/// ## Touches
/// From 0 to 1 over the ends of the axes' ranges, after calibration and rotation; millimetres where
/// the device knows its resolution. Fingers that were down when the session opened begin then.
/// When the device goes away, or the kernel has lost the end of a touch, it is cancelled.
///
/// ## Time
/// The kernel's stamp of each frame, of boot time, to the microsecond.
///
/// ## Errors
/// `.denied` without the right to its node, `.disconnected` where it is not there, `.malformed` for
/// a screen whose axes have no range. A device that goes away later is a status, and comes back by
/// itself, unless `evdev.unplug` is `end`.
public struct EvdevSensor<Reading: SensorReading>: Sensor {
    /// What is known of it before it is opened.
    public let descriptor: SensorDescriptor
    let token: String
    let desk: SessionDesk
    let makeReader: @Sendable (ReadingSink<Reading>) -> any DeviceSession

    /// How long opening may take before the sensor counts as waiting for its device.
    static var openLimit: Duration { .seconds(5) }

    /// The clock that its instants are on.
    public var clock: any SensorClock { desk.host.clock }

    /// Whether this process may open the device's node.
    public var authorization: AuthorizationStatus {
        let path = InputInventory(desk.link.nodes())[token]?.path
        return path.map { desk.link.mayOpen($0) } ?? true ? .authorized : .denied
    }

    /// Starts reading; the request's rate has no meaning here.
    public func open(
        _ request: SamplingRequest, delivering sink: ReadingSink<Reading>
    ) async throws(SensorError) -> any SensorSession {
        let reader = makeReader(sink)
        try desk.admit(reader)
        let answer = reader.answer
        let outcome = await clock.within(Self.openLimit) { await answer.wait() }
        if Task.isCancelled {
            await reader.stop()
            throw .cancelled(descriptor.id)
        }
        // Without an answer the device is slow, and events come when it has woken up.
        if case .some(.some(.some(let fault))) = outcome {
            await reader.stop()
            throw SensorError(fault, of: descriptor.id)
        }
        return EvdevSession(reader: reader)
    }
}

extension EvdevSensor: TouchSensor where Reading == TouchEvent {}

/// An open device.
struct EvdevSession: SensorSession {
    let reader: any DeviceSession

    var grantedRate: Double? { nil }

    func reconfigure(_ request: SamplingRequest) async throws(SensorError) {}

    func close() async { await reader.stop() }
}
