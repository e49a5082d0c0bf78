import IIOPlugin
import IIOSpy
import Sensorium
import SensoriumTestKit

/// A plugin over scripted devices, on a virtual clock.
struct Bench: Sendable {
    let spy: IIOLinkSpy
    let plugin: IIO
    let diagnostics = Collected<String>()

    var clock: VirtualClock { spy.clock }

    /// Makes the plugin.
    init(
        _ devices: [ScriptedDevice], triggers: [String] = [], isLocal: Bool = true,
        configuration: [String: String] = [:], clock: VirtualClock = VirtualClock()
    ) {
        spy = IIOLinkSpy(clock: clock, devices: devices, triggers: triggers, isLocal: isLocal)
        var configuration = configuration
        if !isLocal { configuration["iio.uri"] = "ip:far.example" }
        let diagnostics = diagnostics
        plugin = spy.makePlugin(configuration: configuration) { _, text in diagnostics.append(text)
        }
    }

    /// The first sensor of that reading that the plugin finds.
    func sensor<Reading: MotionReading>(of type: Reading.Type) async throws -> any Sensor<Reading> {
        try await first { $0 as? IIOMotionSensor<Reading> }
    }

    /// The first sensor of that reading that the plugin finds.
    func sensor<Reading: ScalarReading>(of type: Reading.Type) async throws -> any Sensor<Reading> {
        try await first { $0 as? IIOScalarSensor<Reading> }
    }

    private func first<Found>(_ cast: (any Sensor) -> Found?) async throws -> Found {
        guard let found = try await plugin.discover().lazy.compactMap(cast).first else {
            throw SpyError("the plugin found no \(Found.self)")
        }
        return found
    }

    /// Opens a sensor into a list.
    func open<Reading>(
        _ sensor: any Sensor<Reading>, rate: Double? = nil, maxLatency: Duration = .zero
    ) async throws -> Listener<Reading> {
        try await Listener(sensor, SamplingRequest(rate: rate, maxLatency: maxLatency))
    }

    /// Opens the first accelerometer into a list.
    func accelerometer(rate: Double? = nil) async throws -> Listener<Acceleration> {
        try await open(try await sensor(of: Acceleration.self), rate: rate)
    }
}

/// Everything that an open sensor tells.
final class Listener<Reading: SensorReading>: Sendable {
    private let received = Collected<Reading>()
    private let told = Collected<SensorStatus>()
    private let lost = Collected<ReadingLoss>()
    private let ended = Collected<SensorError?>()
    let session: any SensorSession

    init(_ sensor: any Sensor<Reading>, _ request: SamplingRequest) async throws {
        let sink = ReadingSink<Reading>(
            deliver: { [received] span in for index in span.indices { received.append(span[index]) }
            },
            report: { [told] in told.append($0) }, lose: { [lost] in lost.append($0) },
            finish: { [ended] in ended.append($0) })
        session = try await sensor.open(request, delivering: sink)
    }

    var readings: [Reading] { received.all }
    var statuses: [SensorStatus] { told.all }
    var states: [SensorStatus.State] { told.all.map(\.state) }
    var losses: [ReadingLoss] { lost.all }
    var isFinished: Bool { !ended.all.isEmpty }
}
