import Sensorium
import SensoriumTestKit

@testable import SensoriumPluginKit

/// A host for plugins that remembers what they say.
final class TestHost: Sendable {
    let log = Collected<String>()
    private let values: [String: String]
    private let clock: any SensorClock

    init(clock: any SensorClock, _ values: [String: String] = [:]) {
        self.clock = clock
        self.values = values
    }

    var host: PluginHost {
        PluginHost(
            clock: clock, configuration: { [values] in values[$0] },
            log: { [log] in log.append("\($0): \($1)") })
    }

    /// Loads one file.
    func load(_ path: String, limits: CallLimits = CallLimits()) async throws -> LoadedPlugin {
        let loader = PluginLoader(host: host, crashMarkers: nil, limits: limits)
        switch await loader.load(file: path).outcome {
        case .loaded(let plugin): return plugin
        case .skipped(let refusal), .refused(let refusal): throw refusal
        }
    }
}

/// What a session of `Reading` delivered, in order.
final class Recorder<Reading: SensorReading>: Sendable {
    enum Event {
        case reading(Reading)
        case status(SensorStatus)
        case loss(ReadingLoss)
        case finish(SensorError?)
    }

    let events = Collected<Event>()

    var sink: ReadingSink<Reading> {
        ReadingSink(
            deliver: { [events] readings in
                for index in readings.indices { events.append(.reading(readings[index])) }
            },
            report: { [events] in events.append(.status($0)) },
            lose: { [events] in events.append(.loss($0)) },
            finish: { [events] in events.append(.finish($0)) })
    }

    var readings: [Reading] {
        events.all.compactMap { if case .reading(let reading) = $0 { reading } else { nil } }
    }

    var losses: [ReadingLoss] {
        events.all.compactMap { if case .loss(let loss) = $0 { loss } else { nil } }
    }

    /// The kinds of events, as in `status reading reading loss finish`.
    var order: String {
        events.all.map { event in
            switch event {
            case .reading: "reading"
            case .status: "status"
            case .loss: "loss"
            case .finish: "finish"
            }
        }.joined(separator: " ")
    }
}

extension [any Sensor] {
    /// The loaded sensor of an id, by its concrete type.
    func loaded<Reading: BoundaryReading>(
        _ id: SensorID, of _: Reading.Type = Reading.self
    ) -> LoadedSensor<Reading>? {
        lazy.compactMap { $0 as? LoadedSensor<Reading> }.first { $0.descriptor.id == id }
    }
}
