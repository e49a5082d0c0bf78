import Sensorium
import SensoriumRecording

/// One reading of each kind but camera with every field set, and one with as few as there can be.
struct EveryReading {
    let recording: MemoryRecording

    /// - Parameter clock: of the recording.
    init(clock: RecordingClock) {
        var recording = MemoryRecording(
            sensors: [], metadata: RecordingMetadata(clock: clock))
        var tick: Int64 = 0
        func time() -> ReadingTime {
            tick += 1
            return ReadingTime(
                SensorInstant(nanoseconds: 7_000_000_000 + tick * 1_000_003),
                original: ClockTime(nanoseconds: 1_700_000_000_123_456_789, domain: .tai),
                uncertainty: .microseconds(17), source: .arrival)
        }
        func plain() -> ReadingTime {
            tick += 1
            return ReadingTime(SensorInstant(nanoseconds: 7_000_000_000 + tick * 1_000_003))
        }
        for reading in Self.full(time) + Self.bare(plain) {
            let id = SensorID("every, \"\(reading.kind.name)\"/sensor")
            if !recording.sensors.contains(where: { $0.id == id }) {
                recording.sensors.append(
                    RecordedSensor(
                        SensorDescriptor(id: id, kind: reading.kind, name: id.rawValue)))
            }
            recording.events.append(
                RecordedEvent(
                    sensor: id, instant: reading.time.instant.advanced(by: .microseconds(3)),
                    content: .reading(reading)))
        }
        self.recording = recording
    }

    private static let third = 1.0 / 3
    private static let odd: ReadingFlags = [
        .simulated, .untrustedTime, ReadingFlags(rawValue: 512),
    ]

    static func fix(_ time: ReadingTime) -> LocationFix {
        LocationFix(
            time: time, latitude: -0.000_000_12, longitude: 179.999_999_999_9,
            altitudeMSL: 12.3, altitudeEllipsoid: 60.1,
            horizontalAccuracy: Accuracy(1.7, .drms), verticalAccuracy: Accuracy(3, .unspecified),
            speed: 5.144_444_444_444_445, speedAccuracy: Accuracy(0.1, .ninetyFivePercent),
            course: 359.9, courseAccuracy: Accuracy(2, .fiftyPercent), climb: -0.25,
            fix: .twoDimensional, quality: .rtkFloat, satellitesUsed: 9, flags: odd)
    }

    private static func full(_ time: () -> ReadingTime) -> [RecordedReading] {
        let accuracy = Accuracy(0.01, .sixtyEightPercent)
        let satellites = [
            Satellite(
                system: .galileo, number: 24, elevation: -1.5, azimuth: 271, signal: 33.5,
                isUsed: true, isHealthy: false),
            Satellite(number: 300, isUsed: false),
        ]
        let dilution = Satellites.Dilution(
            horizontal: 0.8, vertical: 1.1, position: 1.4, time: 0.7, geometric: 1.6)
        var list: [RecordedReading] = [
            .location(fix(time())),
            .satellites(
                Satellites(time: time(), inView: satellites, dilution: dilution, flags: odd)),
            .acceleration(
                Acceleration(time: time(), x: third, y: -0.0, z: 1e-300, accuracy: accuracy)),
            .angularVelocity(AngularVelocity(time: time(), x: .infinity, y: -third, z: 1e22)),
            .magneticField(
                MagneticField(time: time(), x: 4.8e-5, y: 0, z: third, accuracy: accuracy)),
            .pressure(Pressure(time: time(), value: 101_325.25, accuracy: accuracy)),
            .temperature(Temperature(time: time(), value: -40.1, accuracy: accuracy)),
            .humidity(Humidity(time: time(), value: third, accuracy: accuracy)),
            .illuminance(Illuminance(time: time(), value: 12_000, accuracy: accuracy)),
            .proximity(Proximity(time: time(), value: 0.05, accuracy: accuracy, flags: .saturated)),
            .touch(
                TouchEvent(
                    time: time(), phase: .cancelled, touch: 12, x: third, y: 1, xMillimetres: 20.5,
                    yMillimetres: 3, pressure: 0.5, tool: .pen, endsFrame: false, flags: odd)),
            .key(KeyEvent(time: time(), code: 164, phase: .repeated, flags: odd)),
        ]
        let heading = Heading(
            time: time(), trueNorth: 12.5, magneticNorth: 9.25, declination: 3.25,
            accuracy: accuracy, flags: odd)
        let attitude = Attitude(
            time: time(), w: third, x: 0.2, y: -0.9, z: 0.1, accuracy: accuracy, flags: odd)
        list += [heading.map(\.recorded), attitude.map(\.recorded)].compactMap { $0 }
        return list
    }

    private static func bare(_ time: () -> ReadingTime) -> [RecordedReading] {
        var list: [RecordedReading] = [
            .location(LocationFix(time: time(), latitude: 0, longitude: 0)),
            .satellites(Satellites(time: time(), inView: [])),
            .acceleration(Acceleration(time: time(), x: 0, y: 0, z: 0)),
            .pressure(Pressure(time: time(), value: 0)),
            .touch(TouchEvent(time: time(), phase: .began, touch: 0, x: 0, y: 0)),
            .key(KeyEvent(time: time(), code: 0, phase: .released)),
        ]
        list += [Heading(time: time(), magneticNorth: 0).map(\.recorded)].compactMap { $0 }
        return list
    }
}
