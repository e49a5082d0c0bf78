/// One device session for any number of consumers.
///
/// This is what a registry hands out.
///
/// Every consumer gets every reading at the rate that it asked for: the highest request drives the
/// device, and the others are thinned out by time. The device is opened for the first consumer and
/// closed after the last.
public final class SharedSensor<Reading: SensorReading>: Sensor {
    private let fanOut: FanOut<Reading>
    private let base: any Sensor<Reading>
    /// What is known of it before it is opened.
    public let descriptor: SensorDescriptor
    /// The clock that its instants are on.
    public let clock: any SensorClock

    /// Shares `base`.
    public init(_ base: any Sensor<Reading>) {
        self.base = base
        descriptor = base.descriptor
        clock = base.clock
        fanOut = FanOut { request, sink throws(SensorError) in
            try await base.open(request, delivering: sink)
        }
    }

    /// Whether this process may read it.
    public var authorization: AuthorizationStatus { base.authorization }

    /// Asks for the right to read it, where somebody can grant it.
    public func requestAuthorization() async -> AuthorizationStatus {
        await base.requestAuthorization()
    }

    /// Joins the device session, which is opened for the first consumer.
    public func open(
        _ request: SamplingRequest, delivering sink: ReadingSink<Reading>
    ) async throws(SensorError) -> any SensorSession {
        try await fanOut.join(request, sink, id: descriptor.id)
    }

    /// The rate in hertz that the device runs at now; nil while it is closed, or unknown.
    public var grantedRate: Double? { fanOut.grantedRate }

    /// How many consumers it has.
    public var consumerCount: Int { fanOut.consumerCount }

    /// Waits until it has no consumer and the device is closed: loops left by `break` close in the
    /// background.
    public func closed() async { await fanOut.closed() }

    /// Ends every stream on it with `error`; for a sensor that left the machine.
    package func end(with error: SensorError) { fanOut.endAll(error) }
}

extension SharedSensor: LocationSensor where Reading == LocationFix {}
extension SharedSensor: MotionSensor where Reading: MotionReading {}
extension SharedSensor: EnvironmentSensor where Reading: ScalarReading {}
extension SharedSensor: CameraSensor where Reading == CameraFrame {}
extension SharedSensor: TouchSensor where Reading == TouchEvent {}
