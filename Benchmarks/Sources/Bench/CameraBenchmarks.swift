import Glibc
import Sensorium
import SensoriumPluginKit
import SensoriumTestKit

/// Frames of 1280x720 YUYV from a camera out of a script, whose plugin was loaded at run time.
///
/// `make bench` builds that plugin beside this program. The rival is a copy of one such frame.
enum CameraBenchmarks {
    private static let size = 1280 * 720 * 2
    private static let count = 20_000

    static func rows() async throws -> [Row] {
        guard let library = BoundaryBenchmarks.library("libScriptedCameraPlugin.so") else {
            print("v4l2: libScriptedCameraPlugin.so is missing; run make bench")
            return []
        }
        let copy = copying()
        let sink = try await with(library, SystemClock(), ["scripted.burst": "\(Int.max)"]) {
            try await toSink($0)
        }
        // One thread runs both sides, so that this is work, and not waking threads up.
        let clock = VirtualClock()
        let consumer = try await clock.run {
            try await with(library, clock, ["scripted.rate": "1000"]) {
                try await toConsumer($0, clock)
            }
        }
        return [
            Row(
                name: "v4l2.frame.to-sink", value: sink / 1e3, unit: "us",
                rival: ("memcpy", copy / 1e3), goal: 20),
            Row(
                name: "v4l2.frame.to-consumer", value: consumer / 1e3, unit: "us",
                rival: ("memcpy", copy / 1e3), goal: 20),
        ]
    }

    /// Runs `body` on the camera of a newly loaded plugin.
    private static func with(
        _ library: String, _ clock: any SensorClock, _ configuration: [String: String],
        _ body: @Sendable (SharedSensor<CameraFrame>) async throws -> Double
    ) async throws -> Double {
        let host = PluginHost(clock: clock, configuration: { configuration[$0] })
        let file = await PluginLoader(host: host, crashMarkers: nil).load(file: library)
        guard case .loaded(let plugin) = file.outcome else { preconditionFailure("\(file)") }
        let registry = SensorRegistry(host: host)
        try await registry.add(plugin)
        guard let camera = registry.preferred(of: CameraFrame.self) else {
            preconditionFailure("the plugin has its camera")
        }
        let value = try await body(camera)
        await registry.removeAll()
        return value
    }

    private struct Times {
        var first: SensorInstant?
        var count = 0
        var addresses: Set<UInt> = []
    }

    /// From the device's buffer to a sink behind the boundary, which looks at the pixels.
    private static func toSink(_ camera: SharedSensor<CameraFrame>) async throws -> Double {
        let clock = SystemClock()
        let times = Guarded(Times())
        let (ends, end) = AsyncStream<Int64>.makeStream()
        let session = try await camera.open(
            .default,
            delivering: ReadingSink(deliver: { frames in
                for index in frames.indices {
                    let frame = frames[index]
                    let span = times.withLock { times -> Int64? in
                        if times.first == nil { times.first = clock.now }
                        check(frame, &times)
                        times.count += 1
                        guard times.count == count + 1, let first = times.first else { return nil }
                        return first.duration(to: clock.now).wholeNanoseconds
                    }
                    if let span { end.yield(span) }
                }
            }))
        var span: Int64 = 0
        for await value in ends {
            span = value
            break
        }
        await session.close()
        return Double(span) / Double(count)
    }

    /// From the device's buffer to a loop, which looks at the pixels.
    private static func toConsumer(
        _ camera: SharedSensor<CameraFrame>, _ clock: VirtualClock
    ) async throws -> Double {
        let spans = Guarded<[Int64]>([])
        let loop = clock.spawn("look at frames") {
            var times = Times()
            do {
                for try await frame in camera.readings(SamplingRequest(buffering: .newest(4))) {
                    if times.first == nil { times.first = SystemClock().now }
                    check(frame, &times)
                    times.count += 1
                    if times.count == count + 1 { break }
                }
            } catch { preconditionFailure("\(error)") }
            let span = times.first.map { $0.duration(to: SystemClock().now) } ?? .zero
            spans.withLock { $0.append(span.wholeNanoseconds) }
        }
        await clock.advance(by: .milliseconds(count + 10))
        await loop.value
        await camera.closed()
        return Double(spans.withLock { $0.first } ?? 0) / Double(count)
    }

    /// A frame is the device's own memory: there are no more places than it has buffers.
    private static func check(_ frame: CameraFrame, _ times: inout Times) {
        let bytes = frame.storage.bytes
        precondition(bytes.count == size, "the frame is whole")
        precondition(
            bytes.loadUnaligned(as: UInt32.self) == frame.sequence, "the frame is this one")
        times.addresses.insert(UInt(bitPattern: bytes.baseAddress))
        precondition(times.addresses.count <= 8, "the frame was copied")
    }

    /// What one copy of a frame would take, in nanoseconds.
    private static func copying() -> Double {
        let (from, to) = (
            UnsafeMutableRawPointer.allocate(byteCount: size * 8, alignment: 64),
            UnsafeMutableRawPointer.allocate(byteCount: size * 8, alignment: 64)
        )
        defer {
            from.deallocate()
            to.deallocate()
        }
        memset(from, 1, size * 8)
        var samples = Samples()
        for round in 0..<64 {
            let place = round % 8 * size
            samples.add(nanoseconds { memcpy(to + place, from + place, size) }, items: 1)
        }
        return samples.median
    }
}
