import Sensorium
import SensoriumTestKit
import V4L2Plugin
import V4L2Spy

/// A plugin over scripted cameras, on a virtual clock.
struct Bench: Sendable {
    let spy: V4L2LinkSpy
    let plugin: V4L2
    let clock: VirtualClock
    let diagnostics = Collected<String>()

    /// Makes the plugin.
    init(
        _ cameras: [ScriptedCamera] = [ScriptedCamera()], configuration: [String: String] = [:],
        clock: VirtualClock = VirtualClock()
    ) {
        self.clock = clock
        spy = V4L2LinkSpy(clock: clock, cameras: cameras)
        let diagnostics = diagnostics
        plugin = spy.makePlugin(configuration: configuration) { _, text in diagnostics.append(text)
        }
    }

    /// The first camera that the plugin finds.
    func camera() async throws -> V4L2Camera {
        guard let camera = try await plugin.discover().first as? V4L2Camera else {
            throw SpyError("the plugin found no camera")
        }
        return camera
    }

    /// Opens the first camera.
    func open(rate: Double? = nil, keeping: Bool = false) async throws -> Viewer {
        try await Viewer(try await camera(), rate: rate, keeping: keeping)
    }

    /// Opens the first camera, which must fail.
    func refusal() async throws -> SensorError {
        let sensor = try await camera()
        let outcome = Collected<SensorError?>()
        clock.spawn("open") {
            do {
                await (try await Viewer(sensor)).close()
                outcome.append(nil)
            } catch {
                outcome.append(error as? SensorError)
            }
        }
        for _ in 0..<20 where outcome.all.isEmpty {
            await clock.settle()
            if outcome.all.isEmpty { await clock.advance(by: .milliseconds(500)) }
        }
        guard let error = outcome.all.first ?? nil else { throw SpyError("the camera was opened") }
        return error
    }

    /// Closes a viewer whose camera may be in the way, and measures how long that takes.
    func closingTime(of viewer: Viewer) async -> Duration? {
        let (clock, begin, end) = (clock, clock.now, Collected<SensorInstant>())
        clock.spawn("close") {
            await viewer.close()
            end.append(clock.now)
        }
        await clock.advance(by: .seconds(10))
        return end.all.first.map { begin.duration(to: $0) }
    }

    /// Whether nothing is left of all sessions.
    var isClean: Bool {
        spy.openCount == 0 && spy.mappedCount == 0 && plugin.sessionCount == 0
            && clock.sleeperCount == 0
    }
}

/// Looks at what a camera gives, and keeps the frames only if it is told to.
final class Viewer: Sendable {
    /// What is kept of a frame when the frame itself is not.
    struct Glance: Sendable {
        var time: ReadingTime
        var sequence: UInt32?
        var width: Int
        var height: Int
        var format: PixelFormat
        var planes: [CameraFrame.Plane]
        var reference: CameraFrame.TimeReference
        var address: UInt
        /// The pixels of the first plane, row by row, without padding, at most 64 bytes each.
        var rows: [[UInt8]]
    }

    private let seen = Collected<Glance>()
    private let kept = Kept()
    private let told = Collected<SensorStatus>()
    private let lost = Collected<ReadingLoss>()
    private let ended = Collected<SensorError?>()
    private let session: any SensorSession

    init(_ camera: any Sensor<CameraFrame>, rate: Double? = nil, keeping: Bool = false) async throws
    {
        let sink = ReadingSink<CameraFrame>(
            deliver: { [seen, kept] span in
                for index in span.indices {
                    seen.append(Glance(span[index]))
                    if keeping { kept.append(span[index]) }
                }
            },
            report: { [told] in told.append($0) }, lose: { [lost] in lost.append($0) },
            finish: { [ended] in ended.append($0) })
        session = try await camera.open(SamplingRequest(rate: rate), delivering: sink)
    }

    var frames: [Glance] { seen.all }
    var statuses: [SensorStatus] { told.all }
    var states: [SensorStatus.State] { told.all.map(\.state) }
    var errors: [SensorError?] { ended.all }
    var grantedRate: Double? { session.grantedRate }
    var keptFrames: [CameraFrame] { kept.all }

    func losses(_ reason: ReadingLoss.Reason) -> Int {
        lost.all.filter { $0.reason == reason }.map(\.count).reduce(0, +)
    }

    func ask(for rate: Double?) async throws {
        try await session.reconfigure(SamplingRequest(rate: rate))
    }

    /// Lets go of the oldest frames that are kept.
    func release(_ count: Int = .max) {
        kept.drop(count)
    }

    func close() async { await session.close() }
}

/// The frames that a viewer keeps.
private final class Kept: Sendable {
    private let frames = Guarded<[CameraFrame]>([])

    var all: [CameraFrame] { frames.withLock { $0 } }

    func append(_ frame: CameraFrame) { frames.withLock { $0.append(frame) } }

    func drop(_ count: Int) {
        // Released without the lock.
        let dropped = frames.withLock { frames in
            defer { frames = Array(frames.dropFirst(count)) }
            return Array(frames.prefix(count))
        }
        withExtendedLifetime(dropped) {}
    }
}

extension Viewer.Glance {
    init(_ frame: CameraFrame) {
        time = frame.time
        sequence = frame.sequence
        width = frame.width
        height = frame.height
        format = frame.format
        planes = frame.planes
        reference = frame.timeReference
        address = UInt(bitPattern: frame.storage.bytes.baseAddress)
        let bytes = frame.storage.bytes
        rows = frame.planes.prefix(1).flatMap { plane in
            (0..<(plane.stride == 0 ? 1 : min(4, frame.height))).map { row in
                let start = plane.offset + row * plane.stride
                return Array(bytes[start..<min(start + 64, plane.offset + plane.length)])
            }
        }
    }
}
