import Sensorium
import SensoriumPluginKit

/// A sensor of three axes in an IIO device: an accelerometer, a gyroscope or a magnetometer.
///
/// ## Units and frame
/// Those of its reading, after scale, offset and mount matrix. A device that tells no scale gives raw
/// counts, flagged `.unscaled`.
///
/// ## Time
/// The kernel's stamp of each scan on boot time. The stamps of another machine (`ip:`) keep their
/// spacing and are placed by arrival; polled readings have the time of the read.
///
/// ## Errors
/// `.busy` when another program captures the device; `.denied`, `.unsupported`, `.malformed` and
/// `.unavailable` when it cannot be read at all. A device that goes away later, or stalls, is a status, and
/// comes back by itself.
public struct IIOMotionSensor<Reading: MotionReading>: MotionSensor {
    let core: IIOSensorCore
    let decoding: PartDecoding<Reading>

    /// What is known of it before it is opened.
    public var descriptor: SensorDescriptor { core.descriptor }
    /// The clock that its instants are on.
    public var clock: any SensorClock { core.host.clock }
    /// Whether this process may read it; `.denied` where it can only be captured, and its node is for
    /// others.
    public var authorization: AuthorizationStatus { core.authorization }

    /// Starts reading, together with the other open sensors of the device.
    public func open(
        _ request: SamplingRequest, delivering sink: ReadingSink<Reading>
    ) async throws(SensorError) -> any SensorSession {
        try await core.open(request, decoding, sink)
    }
}

/// A sensor of one number in an IIO device: pressure, temperature, humidity, illuminance, proximity.
///
/// Units, time and errors are as with `IIOMotionSensor`. Unless more than 10 Hz are asked for, or
/// another sensor of the device is captured, it is polled: many such devices report changes only, and
/// a capture of one looks like a stalled one.
public struct IIOScalarSensor<Reading: ScalarReading>: EnvironmentSensor {
    let core: IIOSensorCore
    let decoding: PartDecoding<Reading>

    /// What is known of it before it is opened.
    public var descriptor: SensorDescriptor { core.descriptor }
    /// The clock that its instants are on.
    public var clock: any SensorClock { core.host.clock }
    /// Whether this process may read it; `.denied` where it can only be captured, and its node is for
    /// others.
    public var authorization: AuthorizationStatus { core.authorization }

    /// Starts reading, together with the other open sensors of the device.
    public func open(
        _ request: SamplingRequest, delivering sink: ReadingSink<Reading>
    ) async throws(SensorError) -> any SensorSession {
        try await core.open(request, decoding, sink)
    }
}

/// What the sensors of all kinds have in common.
struct IIOSensorCore: Sendable {
    let descriptor: SensorDescriptor
    let address: String
    let token: String
    let part: SensedPart
    let isScannable: Bool
    let pool: ReaderPool
    let host: PluginHost
    /// Whether the device may be captured, where there is no other way to read it.
    let rights: @Sendable () -> AuthorizationStatus

    var authorization: AuthorizationStatus { rights() }

    /// How long opening may take before the sensor counts as waiting for its device.
    static let openLimit = Duration.seconds(8)

    func open<Reading>(
        _ request: SamplingRequest, _ decoding: PartDecoding<Reading>, _ sink: ReadingSink<Reading>
    ) async throws(SensorError) -> any SensorSession {
        let subscription = Subscription(descriptor.id, part, decoding, request, sink)
        let key = DeviceReader.Key(address: address, token: token, isScannable: isScannable)
        guard let reader = await pool.join(key, subscription) else {
            throw .unavailable(
                descriptor.id, reason: "the iio plugin was stopped",
                hint: "add it to the registry again")
        }
        let session = IIOSession(subscription, reader, self)
        let answer = await host.clock.within(Self.openLimit) { await subscription.answer.wait() }
        if Task.isCancelled {
            await session.close()
            throw .cancelled(descriptor.id)
        }
        // Without an answer the device is slow, and readings come when it has woken up.
        if case .some(.some(.some(let fault))) = answer {
            await session.close()
            throw SensorError(fault, of: descriptor.id)
        }
        return session
    }
}

/// An open IIO sensor.
final class IIOSession<Reading: SensorReading>: SensorSession {
    private let subscription: Subscription<Reading>
    private let core: IIOSensorCore
    private let reader: Guarded<DeviceReader?>

    init(_ subscription: Subscription<Reading>, _ reader: DeviceReader, _ core: IIOSensorCore) {
        self.subscription = subscription
        self.core = core
        self.reader = Guarded(reader)
    }

    /// The rate that the device runs at, thinned out for this session; it may change when other
    /// sensors of the device are opened.
    var grantedRate: Double? { subscription.grantedRate }

    func reconfigure(_ request: SamplingRequest) async throws(SensorError) {
        subscription.request = request
        reader.withLock { $0 }?.reconsider()
    }

    func close() async {
        subscription.close()
        guard let reader = reader.withLock({ $0.take() }) else { return }
        await core.pool.leave(reader, subscription)
    }
}
