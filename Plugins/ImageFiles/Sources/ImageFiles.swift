public import Sensorium
import SensoriumPluginKit

/// A camera whose pictures come from files: a Y4M file, a stream of JPEG pictures, one picture, or a
/// folder of JPEG and PNG pictures.
///
/// ## Configuration
/// - `image-files.path`: the file or the folder. Without it there is no camera.
/// - `image-files.rate`: frames a second; by default what the file says, else 30.
/// - `image-files.loop`: `1` to start again at the end.
public final class ImageFiles: SensorPlugin {
    /// `image-files`.
    public static let manifest = PluginManifest(
        id: "image-files", version: "0.1.0", kinds: [.camera])

    private let host: PluginHost
    private let link: any ImageFilesLink
    private let desk = ReaderDesk()

    /// Makes the plugin.
    public convenience init(host: PluginHost) {
        let isVirtual = host.clock.executor != nil
        self.init(host: host, link: SystemFiles(usesThreads: !isVirtual))
    }

    /// Makes the plugin over other files: the seam for its spy.
    package init(host: PluginHost, link: any ImageFilesLink) {
        self.host = host
        self.link = link
    }

    /// The camera; none where no path is configured.
    ///
    /// The first frame is read, to know what the others will be like.
    ///
    /// - Throws: `SensorError.unsupported` for a value of the configuration that makes no sense, or
    ///   files of another kind; `.unavailable`, `.denied` or `.malformed` when there is no frame to
    ///   be had.
    public func discover() async throws(SensorError) -> [any Sensor] {
        let settings = try ImageFilesSettings(host)
        guard let path = settings.path else { return [] }
        let found: Result<FirstLook, ImageFileFault> = await onThread { [link] in
            Result { () throws(ImageFileFault) in try FirstLook(path, link) }
        }
        let look: FirstLook
        do throws(ImageFileFault) {
            look = try found.get()
        } catch {
            throw SensorError(error, of: ImageCamera.id)
        }
        if let damage = look.damage { host.log(.warning, "\(ImageCamera.id): \(damage)") }
        return [ImageCamera(look, settings, path: path, link: link, host: host, desk: desk)]
    }

    /// Runs `work`, which reads a file, where it may block.
    private func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        let thread = link.makeThread()
        return await withUnsafeContinuation { continuation in
            host.clock.spawn("look at pictures", on: thread) {
                continuation.resume(returning: work())
            }
        }
    }

    /// How many sessions are open.
    package var sessionCount: Int { desk.count }

    /// Ends the camera's sessions.
    public func stop() async { await desk.stop() }
}

/// What the first frame of files tells of the others.
struct FirstLook: Sendable {
    let width: Int
    let height: Int
    let format: PixelFormat
    /// Frames a second, where the file says so.
    let rate: Double?
    /// What could not be read before it.
    let damage: ImageFileFault?

    /// How many damaged frames may come before the first good one.
    private static let patience = 100

    /// Reads the first frame that can be read.
    init(_ path: String, _ link: any ImageFilesLink) throws(ImageFileFault) {
        let reel = try FrameReel(path, link)
        var firstDamage: ImageFileFault?
        var count = 0
        while count < Self.patience, let step = try reel.next() {
            switch step {
            case .frame(let frame):
                (width, height, format) = (frame.width, frame.height, frame.format)
                (rate, damage) = (reel.rate, firstDamage)
                return
            case .damage(let fault):
                firstDamage = firstDamage ?? fault
                count += 1
            }
        }
        throw firstDamage ?? .empty(path)
    }
}
