import Sensorium

/// Hears how the device is accelerated.
///
/// The calls are asynchronous, so that a class on the main actor conforms with plain methods of its
/// own, and an actor or a `Sendable` class as well.
public protocol MotionServiceDelegate: AnyObject, Sendable {
    /// The acceleration was measured; the sensor is closed again.
    func motionService(_ service: MotionService, didMeasure acceleration: Acceleration) async
    /// The acceleration was not measured, for a reason that can be shown.
    func motionService(_ service: MotionService, didFailWith error: SensorError) async
}

/// The present acceleration, once, when an app asks for it: which way is up, whether it is shaken.
///
/// Give it a sensor through the initializer: one of a registry in the app, a spy in a test. How a
/// request runs, what a second one does and which errors there are, is told at `ReadingService`. For
/// gestures, which take more than one reading, see `shakes` and `orientations` of `Sensor`.
///
/// ## Units and frame
/// Those of `Acceleration`: m/s² in the device frame, gravity included.
public final class MotionService: Sendable {
    private struct Listener: Sendable {
        weak var delegate: (any MotionServiceDelegate)?
    }

    private let service: ReadingService<Acceleration>
    private let listener = Guarded(Listener())

    /// Makes a service of an accelerometer.
    ///
    /// - Parameters:
    ///   - sensor: where readings come from.
    ///   - timeout: how long to wait for a valid reading, in all.
    ///   - isValid: whether a reading is good enough, beyond being finite and in m/s²: not saturated,
    ///     for example.
    public init(
        sensor: any Sensor<Acceleration>, timeout: Duration = .seconds(5),
        accepting isValid: @escaping @Sendable (Acceleration) -> Bool = { _ in true }
    ) {
        service = ReadingService(sensor: sensor, timeout: timeout) { reading in
            reading.magnitude.isFinite && !reading.flags.contains(.unscaled) && isValid(reading)
        }
    }

    /// Who is told; held weakly.
    public var delegate: (any MotionServiceDelegate)? {
        get { listener.withLock { $0.delegate } }
        set { listener.withLock { $0.delegate = newValue } }
    }

    /// Asks for the acceleration, and returns at once; the delegate is told, once.
    public func requestCurrentAcceleration() {
        service.request { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let reading):
                await self.delegate?.motionService(self, didMeasure: reading)
            case .failure(let error):
                await self.delegate?.motionService(self, didFailWith: error)
            }
        }
    }

    /// The acceleration.
    ///
    /// - Throws: `SensorError`; see `ReadingService`.
    public func currentAcceleration() async throws(SensorError) -> Acceleration {
        try await service.current()
    }

    /// Takes `requestCurrentAcceleration()` back: the delegate is not told.
    public func cancel() { service.cancel() }

    /// Waits until no request runs and the delegate has been told.
    public func finished() async { await service.finished() }
}
