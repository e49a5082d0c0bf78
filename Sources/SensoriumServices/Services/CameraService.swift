import Sensorium

/// Hears of a picture.
///
/// The calls are asynchronous, so that a class on the main actor conforms with plain methods of its
/// own, and an actor or a `Sendable` class as well.
public protocol CameraServiceDelegate: AnyObject, Sendable {
    /// The picture was taken; the camera is closed again.
    func cameraService(_ service: CameraService, didTake frame: CameraFrame) async
    /// The picture was not taken, for a reason that can be shown.
    func cameraService(_ service: CameraService, didFailWith error: SensorError) async
}

/// One picture when an app asks for it.
///
/// Give it a sensor through the initializer: one of a registry in the app, a spy in a test. How a
/// request runs, what a second one does and which errors there are, is told at `ReadingService`.
///
/// The frame's bytes are lent, as with every `CameraFrame`: copy what is to be kept for long.
public final class CameraService: Sendable {
    private struct Listener: Sendable {
        weak var delegate: (any CameraServiceDelegate)?
    }

    private let service: ReadingService<CameraFrame>
    private let listener = Guarded(Listener())

    /// Makes a service of a camera.
    ///
    /// - Parameters:
    ///   - sensor: where pictures come from.
    ///   - timeout: how long to wait for a whole picture, in all.
    ///   - isValid: whether a picture is good enough, beyond being whole: exposed, in focus, of a
    ///     size.
    public init(
        sensor: any Sensor<CameraFrame>, timeout: Duration = .seconds(10),
        accepting isValid: @escaping @Sendable (CameraFrame) -> Bool = { _ in true }
    ) {
        service = ReadingService(sensor: sensor, timeout: timeout) { frame in
            frame.isWhole && isValid(frame)
        }
    }

    /// Who is told; held weakly.
    public var delegate: (any CameraServiceDelegate)? {
        get { listener.withLock { $0.delegate } }
        set { listener.withLock { $0.delegate = newValue } }
    }

    /// Asks for a picture, and returns at once; the delegate is told, once.
    public func requestPicture() {
        service.request { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let frame):
                await self.delegate?.cameraService(self, didTake: frame)
            case .failure(let error):
                await self.delegate?.cameraService(self, didFailWith: error)
            }
        }
    }

    /// A picture.
    ///
    /// - Throws: `SensorError`; see `ReadingService`.
    public func picture() async throws(SensorError) -> CameraFrame {
        try await service.current()
    }

    /// Takes `requestPicture()` back: the delegate is not told.
    public func cancel() { service.cancel() }

    /// Waits until no request runs and the delegate has been told.
    public func finished() async { await service.finished() }
}

extension CameraFrame {
    /// Whether it has pixels, and each plane lies within its bytes.
    fileprivate var isWhole: Bool {
        width > 0 && height > 0 && !planes.isEmpty
            && planes.allSatisfy { plane in
                plane.length > 0 && plane.offset >= 0
                    && plane.offset <= storage.bytes.count - plane.length
            }
    }
}
