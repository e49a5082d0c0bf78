import Sensorium

/// One sensor of each kind, with a script of known readings.
///
/// The tests have the same readings; both sides make them by `ScriptedReadings.swift`.
struct ScriptedSensors {
    let clock: any SensorClock

    init(_ clock: any SensorClock) { self.clock = clock }

    var all: [any Sensor] {
        [
            Scripted(ScriptedReadings.locations, clock),
            Scripted(ScriptedReadings.satellites, clock),
            Scripted(ScriptedReadings.headings, clock), Scripted(ScriptedReadings.attitudes, clock),
            Scripted(ScriptedReadings.accelerations, clock),
            Scripted(ScriptedReadings.angularVelocities, clock),
            Scripted(ScriptedReadings.magneticFields, clock),
            Scripted(ScriptedReadings.pressures, clock),
            Scripted(ScriptedReadings.temperatures, clock),
            Scripted(ScriptedReadings.humidities, clock),
            Scripted(ScriptedReadings.illuminances, clock),
            Scripted(ScriptedReadings.proximities, clock), Scripted(ScriptedReadings.frames, clock),
            Scripted(ScriptedReadings.touches, clock), Scripted(ScriptedReadings.keys, clock),
        ]
    }
}

/// Says that it runs, delivers its script, tells of three losses, and finishes.
final class Scripted<Reading: SensorReading>: Sensor {
    let descriptor: SensorDescriptor
    let clock: any SensorClock
    private let readings: [Reading]

    init(_ readings: [Reading], _ clock: any SensorClock) {
        self.readings = readings
        self.clock = clock
        let kind = Reading.kind
        descriptor = SensorDescriptor(
            id: SensorID("fixture/\(kind.name)"), kind: kind, name: "Scripted \(kind.name)",
            vendor: "Tests", range: 19.6, resolution: 0.001, rates: .listed([12.5, 25, 50]),
            placement: .display, needs: "/dev/\(kind.name)", isSimulated: true, isPreferred: true)
    }

    func open(
        _ request: SamplingRequest, delivering sink: ReadingSink<Reading>
    ) async throws(SensorError) -> any SensorSession {
        sink.report(SensorStatus(.searching, reason: "looking for \(Reading.kind)", hint: "wait"))
        let readings = readings
        sink.deliver(readings.span)
        sink.lose(3, .device)
        sink.finish(
            .disconnected(id, reason: "the script is over", hint: "open it again"))
        return Session()
    }

    private struct Session: SensorSession {
        var grantedRate: Double? { 25 }
        func close() async {}
    }
}
