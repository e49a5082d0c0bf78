import Sensorium

/// Hears where the user is.
///
/// The calls are asynchronous, so that a class on the main actor conforms with plain methods of its
/// own, and an actor or a `Sendable` class as well.
public protocol LocationServiceDelegate: AnyObject, Sendable {
    /// The position was found; the sensor is closed again.
    func locationService(_ service: LocationService, didFind fix: LocationFix) async
    /// The position was not found, for a reason that can be shown.
    func locationService(_ service: LocationService, didFailWith error: SensorError) async
}

/// Where the user is, once, when an app asks for it.
///
/// Give it a sensor through the initializer: one of a registry in the app, a spy in a test. How a
/// request runs, what a second one does and which errors there are, is told at `ReadingService`.
///
/// ## Units and frame
/// Those of `LocationFix`: degrees on the WGS 84 ellipsoid.
public final class LocationService: Sendable {
    private struct Listener: Sendable {
        weak var delegate: (any LocationServiceDelegate)?
    }

    private let service: ReadingService<LocationFix>
    private let listener = Guarded(Listener())

    /// Makes a service of a location sensor.
    ///
    /// - Parameters:
    ///   - sensor: where fixes come from.
    ///   - timeout: how long to wait for a valid fix, in all.
    ///   - isValid: whether a fix is good enough, beyond having coordinates on the Earth: recent,
    ///     accurate.
    public init(
        sensor: any Sensor<LocationFix>, timeout: Duration = .seconds(30),
        accepting isValid: @escaping @Sendable (LocationFix) -> Bool = { _ in true }
    ) {
        service = ReadingService(sensor: sensor, timeout: timeout) { fix in
            // Comparing is false with NaN.
            abs(fix.latitude) <= 90 && abs(fix.longitude) <= 180 && isValid(fix)
        }
    }

    /// Who is told; held weakly.
    public var delegate: (any LocationServiceDelegate)? {
        get { listener.withLock { $0.delegate } }
        set { listener.withLock { $0.delegate = newValue } }
    }

    /// Asks for the position, and returns at once; the delegate is told, once.
    public func requestCurrentLocation() {
        service.request { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let fix):
                await self.delegate?.locationService(self, didFind: fix)
            case .failure(let error):
                await self.delegate?.locationService(self, didFailWith: error)
            }
        }
    }

    /// The position.
    ///
    /// - Throws: `SensorError`; see `ReadingService`.
    public func currentLocation() async throws(SensorError) -> LocationFix {
        try await service.current()
    }

    /// Takes `requestCurrentLocation()` back: the delegate is not told.
    public func cancel() { service.cancel() }

    /// Waits until no request runs and the delegate has been told.
    public func finished() async { await service.finished() }
}
