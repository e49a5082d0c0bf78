import EvdevPlugin
import Sensorium
import SensoriumPluginKit

/// Frames of two fingers that move, from an open device through a session to its sink.
enum EvdevBenchmarks {
    private static let count = 400_000

    static func rows() async throws -> [Row] {
        var samples = Samples()
        for _ in 0..<5 { samples.add(try await frames(), items: count) }
        return [Row(name: "evdev.frame", value: samples.median / 1e3, unit: "us", goal: 1)]
    }

    private struct Times {
        var first: SensorInstant?
        var touches = 0
        var lastX = -1.0

        /// Takes a frame; gives the time that all of them took, once they are there.
        mutating func take(_ count: Int, _ x: Double, _ clock: SystemClock) -> Int64? {
            precondition(x != lastX, "each frame is another one")
            lastX = x
            if first == nil { first = clock.now }
            touches += count
            guard touches >= 2 * EvdevBenchmarks.count, let first else { return nil }
            touches = .min
            return first.duration(to: clock.now).wholeNanoseconds
        }
    }

    private static func frames() async throws -> Int64 {
        let clock = SystemClock()
        let plugin = Evdev(host: PluginHost(clock: clock), link: MovingFingers())
        guard let screen = try await plugin.discover().first as? EvdevSensor<TouchEvent> else {
            preconditionFailure("there is a screen")
        }
        let times = Guarded(Times())
        let (ends, end) = AsyncStream<Int64>.makeStream()
        let session = try await screen.open(
            .default,
            delivering: ReadingSink(deliver: { events in
                let (count, x) = (events.count, events[events.count - 1].x)
                let span = times.withLock { $0.take(count, x, clock) }
                if let span { end.yield(span) }
            }))
        var span: Int64 = 0
        for await value in ends {
            span = value
            break
        }
        await session.close()
        return span
    }
}

/// A screen that always has sixty-four frames.
private final class MovingFingers: EvdevLink, EvdevDevice {
    let clockDomain = ClockDomain.boottime
    private let isInterrupted = Guarded(false)
    private let round = Guarded<Int32>(0)

    func makeThread() -> SessionThread? { SessionThread() }
    func nodes() -> [InputNode] {
        [
            InputNode(
                path: "/dev/input/event0", name: "screen",
                axes: [InputCode.contactX, InputCode.contactY, InputCode.slot], isDirect: true)
        ]
    }
    func mayOpen(_ path: String) -> Bool { true }
    func open(_ path: String) async throws(EvdevFault) -> any EvdevDevice { self }
    func watch(_ changed: @escaping @Sendable () -> Void) -> (any DeviceWatch)? { nil }

    func capabilities() async throws(EvdevFault) -> InputCapabilities {
        let axis = AxisRange(0, 65535, resolution: 200)
        return InputCapabilities(axes: [
            InputCode.contactX: axis, InputCode.contactY: axis, InputCode.slot: AxisRange(0, 9),
        ])
    }

    func state() async throws(EvdevFault) -> InputState {
        InputState(
            slots: (0..<10).map { InputState.Slot(trackingID: $0 < 2 ? $0 : -1, x: 1, y: 1) })
    }

    func wait() async throws(EvdevFault) -> EvdevSignal {
        isInterrupted.withLock { $0 } ? .interrupted : .ready
    }

    func read(into events: inout [InputEvent]) async throws(EvdevFault) {
        let first = round.withLock { round in
            round = (round &+ 64) & 16383
            return round
        }
        for frame in first..<first + 64 {
            let stamp = Int64(frame) + 1
            for slot in 0..<2 as Range<Int32> {
                events.append(InputEvent(InputCode.absolute, InputCode.slot, slot, stamp: stamp))
                events.append(
                    InputEvent(
                        InputCode.absolute, InputCode.contactX, 2 * frame + slot, stamp: stamp))
                events.append(
                    InputEvent(InputCode.absolute, InputCode.contactY, frame, stamp: stamp))
            }
            events.append(InputEvent(InputCode.sync, InputCode.report, 0, stamp: stamp))
        }
    }

    func interrupt() { isInterrupted.withLock { $0 = true } }
    func close() async {}
}
