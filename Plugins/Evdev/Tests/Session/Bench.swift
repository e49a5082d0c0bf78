import EvdevPlugin
import EvdevSpy
import Sensorium
import SensoriumTestKit

/// A plugin over scripted devices, in virtual time.
struct Bench {
    let clock = VirtualClock()
    let spy: EvdevLinkSpy
    let plugin: Evdev
    let diagnostics = Collected<String>()

    init(_ inputs: [ScriptedInput] = [.screen()], configuration: [String: String] = [:]) {
        spy = EvdevLinkSpy(clock: clock, inputs: inputs)
        let diagnostics = diagnostics
        plugin = spy.makePlugin(configuration: configuration) { _, text in
            diagnostics.append(text)
        }
    }

    /// The first sensor of a kind that the plugin finds.
    func sensor<Reading: SensorReading>(_: Reading.Type) async throws -> EvdevSensor<Reading> {
        let found = try await plugin.discover().lazy.compactMap { $0 as? EvdevSensor<Reading> }
        guard let sensor = found.first else {
            throw SpyError("the plugin found no \(Reading.kind.name)")
        }
        return sensor
    }

    /// Opens the first screen.
    func openScreen() async throws -> Listener<TouchEvent> {
        try await Listener(try await sensor(TouchEvent.self))
    }

    /// Whether nothing is left of all sessions.
    var isClean: Bool {
        spy.openCount == 0 && plugin.sessionCount == 0 && clock.sleeperCount == 0
    }
}

/// Keeps what a sensor gives.
final class Listener<Reading: SensorReading>: Sendable {
    private let heard = Collected<Reading>()
    private let told = Collected<SensorStatus>()
    private let lost = Collected<ReadingLoss>()
    private let ended = Collected<SensorError?>()
    private let session: any SensorSession

    init(_ sensor: any Sensor<Reading>) async throws {
        let sink = ReadingSink<Reading>(
            deliver: { [heard] span in
                for index in span.indices { heard.append(span[index]) }
            },
            report: { [told] in told.append($0) }, lose: { [lost] in lost.append($0) },
            finish: { [ended] in ended.append($0) })
        session = try await sensor.open(.default, delivering: sink)
    }

    var readings: [Reading] { heard.all }
    var states: [SensorStatus.State] { told.all.map(\.state) }
    var statuses: [SensorStatus] { told.all }
    var ends: [SensorError?] { ended.all }
    var losses: [ReadingLoss] { lost.all }

    func close() async { await session.close() }
}

extension Listener where Reading == TouchEvent {
    /// The touches as words: `began 1 (0.25, 0.5)`.
    var words: [String] {
        readings.map { event in
            let x = (event.x * 1000).rounded() / 1000
            let y = (event.y * 1000).rounded() / 1000
            return "\(event.phase) \(event.touch) (\(x), \(y))"
        }
    }
}

extension Listener where Reading == KeyEvent {
    /// The keys as words: `pressed playPause`.
    var words: [String] {
        readings.map { "\($0.phase) \($0.remoteKey.map { "\($0)" } ?? "\($0.code)")" }
    }
}
