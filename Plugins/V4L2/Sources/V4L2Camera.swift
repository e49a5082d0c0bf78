import Sensorium
import SensoriumPluginKit

/// A camera of this machine.
///
/// ## Frames
/// Width, height, format and rows are what the driver says once it has its buffers. The pixels are
/// the driver's own memory, lent: six frames at most, unless more buffers are configured. A
/// consumer that keeps them holds nobody up; what it has no room for is counted as lost.
///
/// ## Time
/// The driver's stamp of each frame, mapped to boot time; `timeReference` says of which moment.
///
/// ## Errors
/// `.busy` where somebody else has the camera, `.denied` without the right to its node,
/// `.unsupported` and `.malformed` where driver and plugin do not understand each other,
/// `.disconnected` where it is not there. A camera that goes away later, or stalls, is a status, and
/// comes back by itself, unless `v4l2.unplug` is `end`.
public struct V4L2Camera: CameraSensor {
    /// What it gives.
    public typealias Reading = CameraFrame

    /// What is known of it before it is opened.
    public let descriptor: SensorDescriptor
    let token: String
    let desk: SessionDesk

    /// How long opening may take before the sensor counts as waiting for its camera.
    static let openLimit = Duration.seconds(8)

    /// The clock that its instants are on.
    public var clock: any SensorClock { desk.host.clock }

    /// Whether this process may open the camera's node.
    public var authorization: AuthorizationStatus {
        let path = CameraInventory(desk.link.nodes())[token]?.path
        return path.map { desk.link.mayOpen($0) } ?? true ? .authorized : .denied
    }

    /// Starts the camera.
    public func open(
        _ request: SamplingRequest, delivering sink: ReadingSink<CameraFrame>
    ) async throws(SensorError) -> any SensorSession {
        let reader = CameraReader(
            descriptor.id, token: token, link: desk.link, host: desk.host, request, sink)
        try await desk.admit(reader)
        let answer = reader.answer
        let outcome = await clock.within(Self.openLimit) { await answer.wait() }
        if Task.isCancelled {
            await reader.stop()
            throw .cancelled(descriptor.id)
        }
        // Without an answer the camera is slow, and frames come when it has woken up.
        if case .some(.some(.some(let fault))) = outcome {
            await reader.stop()
            throw SensorError(fault, of: descriptor.id)
        }
        return V4L2Session(reader)
    }
}

/// An open camera.
final class V4L2Session: SensorSession {
    private let reader: CameraReader

    init(_ reader: CameraReader) { self.reader = reader }

    var grantedRate: Double? { reader.grantedRate }

    func reconfigure(_ request: SamplingRequest) async throws(SensorError) {
        let change = reader.reconfigure(request)
        _ = await reader.clock.within(V4L2Camera.openLimit) { await change.wait() }
    }

    func close() async { await reader.stop() }
}
