import Sensorium

/// The camera whose pictures come from files.
///
/// ## Frames
/// As the files have them: JPEG pictures as MJPEG, PNG pictures as RGB24, Y4M as YUYV, NV12, GREY or
/// RGB24. Each frame says its own size and format. A picture that cannot be read counts as lost, as
/// `.malformed` where it is damaged and as `.device` where its file cannot be read, and its number is
/// missing in `sequence`.
///
/// ## Time
/// Frames come by the clock, the first one 20 ms after the camera is opened, and bear the time at which
/// they are delivered. Where reading takes longer than a frame lasts, the camera is slower; it leaves no
/// frame out.
///
/// ## Sessions
/// Each begins with the first frame. At the end they end, unless `image-files.loop` is set.
///
/// ## Errors
/// On opening as `ImageFiles.discover()`; `.unavailable` also when the plugin was stopped. Later
/// `.disconnected` where the files are not there any more when they are to begin anew, and `.malformed`
/// where none of their pictures can be read.
package struct ImageCamera: CameraSensor {
    /// What it gives.
    package typealias Reading = CameraFrame

    package static let id: SensorID = "image-files/camera"

    /// What is known of it before it is opened.
    package let descriptor: SensorDescriptor
    private let path: String
    private let rate: Double
    private let loops: Bool
    private let link: any ImageFilesLink
    private let host: PluginHost
    private let desk: ReaderDesk

    /// How long opening may take before the sensor counts as waiting for its files.
    private static let openLimit = Duration.seconds(5)

    init(
        _ look: FirstLook, _ settings: ImageFilesSettings, path: String,
        link: any ImageFilesLink, host: PluginHost, desk: ReaderDesk
    ) {
        self.path = path
        rate = settings.rate ?? look.rate ?? ImageFilesSettings.usualRate
        loops = settings.loops
        self.link = link
        self.host = host
        self.desk = desk
        let name = path.split(separator: "/").last.map(String.init) ?? path
        descriptor = SensorDescriptor(
            id: Self.id, kind: .camera,
            name: "\(name), \(look.width)x\(look.height) \(look.format)", rates: .listed([rate]),
            needs: path)
    }

    /// The clock that its instants are on.
    package var clock: any SensorClock { host.clock }

    /// Whether this process may read the files: `.denied` or `.authorized`.
    package var authorization: AuthorizationStatus { link.mayRead(path) ? .authorized : .denied }

    /// Begins with the first frame.
    package func open(
        _ request: SamplingRequest, delivering sink: ReadingSink<CameraFrame>
    ) async throws(SensorError) -> any SensorSession {
        let reader = FrameReader(
            path, rate: rate, loops: loops, link: link, host: host, sink: sink)
        guard desk.admit(reader) else {
            throw .unavailable(
                Self.id, reason: "the image-files plugin was stopped",
                hint: "add it to the registry again")
        }
        let answer = reader.answer
        let outcome = await clock.within(Self.openLimit) { await answer.wait() }
        if Task.isCancelled {
            await reader.stop()
            throw .cancelled(Self.id)
        }
        // Without an answer the disk is slow, and frames come when it has woken up.
        if case .some(.some(.some(let fault))) = outcome {
            await reader.stop()
            throw SensorError(fault, of: Self.id)
        }
        return Session(reader: reader, rate: rate)
    }

    private struct Session: SensorSession {
        let reader: FrameReader
        let rate: Double

        var grantedRate: Double? { rate }

        func close() async { await reader.stop() }
    }
}
