import Sensorium
import SensoriumRecording
import SensoriumTestKit

/// Readings and other events of every kind with any values, those at the ends of their types often
/// among them: the same ones for the same seed.
struct RandomReadings {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// `count` events of a sensor of each kind.
    mutating func recording(_ count: Int) -> MemoryRecording {
        var recording = MemoryRecording(
            sensors: SensorKind.allCases.map {
                RecordedSensor(SensorDescriptor(id: SensorID("any/\($0.name)"), kind: $0, name: ""))
            })
        for _ in 0..<count {
            for sensor in recording.sensors {
                // Without a time of its own, an event belongs to the one before it.
                let hasTime = recording.events.isEmpty || random.next() % 8 != 0
                recording.events.append(
                    RecordedEvent(
                        sensor: sensor.id,
                        instant: hasTime ? SensorInstant(nanoseconds: integer()) : nil,
                        content: random.next() % 5 == 0 ? content() : .reading(reading(sensor.kind))
                    ))
            }
        }
        return recording
    }

    // MARK: Values

    private mutating func integer<Value: FixedWidthInteger>(_: Value.Type = Value.self) -> Value {
        let odd: [Value] = [0, 1, .max, .min, .max - 1, .min + 1]
        return random.next() % 2 == 0
            ? odd[Int(random.next() % UInt64(odd.count))]
            : Value(truncatingIfNeeded: random.next())
    }

    private mutating func number() -> Double {
        let odd: [Double] = [
            0, -0.0, .nan, .infinity, -.infinity, .leastNonzeroMagnitude, -.leastNormalMagnitude,
            .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .ulpOfOne, 1 / 3, 1e22, 90, 180,
        ]
        if random.next() % 2 == 0 { return odd[Int(random.next() % UInt64(odd.count))] }
        let any = Double(bitPattern: random.next())
        // JSON has one NaN.
        return any.isNaN ? .nan : any
    }

    private mutating func maybe<Value>(_ make: (inout Self) -> Value) -> Value? {
        random.next() % 3 == 0 ? nil : make(&self)
    }

    private mutating func word<Value: CaseIterable>() -> Value
    where Value.AllCases: RandomAccessCollection, Value.AllCases.Index == Int {
        Value.allCases[Int(random.next() % UInt64(Value.allCases.count))]
    }

    private mutating func text() -> String {
        let parts = [
            "", "a", "\"", "\\", "\u{0}", "\n", "\u{1f}", "é", "日本", "\u{1f30d}", "{", "}",
        ]
        return (0..<random.next() % 6).map { _ in
            parts[Int(random.next() % UInt64(parts.count))]
        }.joined()
    }

    private mutating func accuracy() -> Accuracy? {
        Accuracy(number().magnitude, word())
    }

    private mutating func flags() -> ReadingFlags { ReadingFlags(rawValue: integer()) }

    private mutating func time() -> ReadingTime {
        let domain: ClockDomain = word()
        let knownOriginal = random.next() % 2 == 0
        let bits = Float(bitPattern: integer())
        let uncertainties: [Float] = [0, .nan, .leastNonzeroMagnitude, .infinity, bits.magnitude]
        let uncertainty = uncertainties[Int(random.next() % 5)]
        return ReadingTime(
            instant: SensorInstant(nanoseconds: integer()),
            originalNanoseconds: knownOriginal ? integer() : 0,
            originalDomain: domain, knownOriginal: knownOriginal,
            uncertaintySeconds: uncertainty.isNaN ? .nan : uncertainty, source: word())
    }

    // MARK: Events

    private mutating func content() -> RecordedEvent.Content {
        switch random.next() % 6 {
        case 0: .status(SensorStatus(word(), reason: text(), hint: text()))
        case 1: .lost(ReadingLoss(count: integer(), reason: word()))
        case 2: .opened(rate: maybe { $0.number() })
        case 3: .gap(reason: text())
        case 4: .ended(nil)
        default: .ended(error())
        }
    }

    private mutating func error() -> SensorError {
        let id = SensorID(text())
        let (reason, hint) = (text(), text())
        switch random.next() % 10 {
        case 0: return .unavailable(id, reason: reason, hint: hint)
        case 1: return .denied(id, reason: reason, hint: hint)
        case 2: return .busy(id, reason: reason, hint: hint)
        case 3: return .disconnected(id, reason: reason, hint: hint)
        case 4: return .cancelled(id)
        case 5: return .malformed(id, reason: reason, hint: hint)
        case 6: return .unsupported(id, reason: reason, hint: hint)
        case 7: return .incompatible(id, reason: reason, hint: hint)
        case 8: return .pluginFault(id, reason: reason, hint: hint)
        default:
            let after = Duration(
                secondsComponent: integer(), attosecondsComponent: integer(Int64.self) / 10)
            return .timedOut(id, after: after, hint: hint)
        }
    }

    private mutating func reading(_ kind: SensorKind) -> RecordedReading {
        let (time, flags) = (time(), flags())
        switch kind {
        case .location: return .location(fix(time, flags))
        case .satellites: return .satellites(satellites(time, flags))
        case .heading:
            let magnetic = number()
            let heading = Heading(
                time: time, trueNorth: maybe { $0.number() }, magneticNorth: magnetic,
                declination: maybe { $0.number() }, accuracy: accuracy(), flags: flags)
            return heading.map(\.recorded) ?? reading(kind)
        case .attitude:
            // A turn is of length 1; any other is none.
            func part() -> Double { Double(Int64(truncatingIfNeeded: random.next()) >> 32) }
            let turn = Attitude(
                time: time, w: part(), x: part(), y: part(), z: part(), accuracy: accuracy(),
                flags: flags)
            return turn.map(\.recorded) ?? reading(kind)
        case .acceleration:
            return .acceleration(
                Acceleration(
                    time: time, x: number(), y: number(), z: number(), accuracy: accuracy(),
                    flags: flags))
        case .angularVelocity:
            return .angularVelocity(
                AngularVelocity(
                    time: time, x: number(), y: number(), z: number(), accuracy: accuracy(),
                    flags: flags))
        case .magneticField:
            return .magneticField(
                MagneticField(
                    time: time, x: number(), y: number(), z: number(), accuracy: accuracy(),
                    flags: flags))
        case .pressure: return .pressure(scalar(time, flags))
        case .temperature: return .temperature(scalar(time, flags))
        case .humidity: return .humidity(scalar(time, flags))
        case .illuminance: return .illuminance(scalar(time, flags))
        case .proximity: return .proximity(scalar(time, flags))
        case .camera: return .camera(frame(time, flags))
        case .touch:
            return .touch(
                TouchEvent(
                    time: time, phase: word(), touch: integer(), x: number(), y: number(),
                    xMillimetres: maybe { $0.number() }, yMillimetres: maybe { $0.number() },
                    pressure: maybe { $0.number() }, tool: word(),
                    endsFrame: random.next() % 2 == 0, flags: flags))
        case .key: return .key(KeyEvent(time: time, code: integer(), phase: word(), flags: flags))
        }
    }

    private mutating func scalar<Reading: ScalarReading>(
        _ time: ReadingTime, _ flags: ReadingFlags
    ) -> Reading {
        Reading(time: time, value: number(), accuracy: accuracy(), flags: flags)
    }

    private mutating func fix(_ time: ReadingTime, _ flags: ReadingFlags) -> LocationFix {
        LocationFix(
            time: time, latitude: number(), longitude: number(), altitudeMSL: maybe { $0.number() },
            altitudeEllipsoid: maybe { $0.number() }, horizontalAccuracy: accuracy(),
            verticalAccuracy: accuracy(), speed: maybe { $0.number() }, speedAccuracy: accuracy(),
            course: maybe { $0.number() }, courseAccuracy: accuracy(),
            climb: maybe { $0.number() }, fix: word(), quality: word(),
            satellitesUsed: maybe { $0.integer() }, flags: flags)
    }

    private mutating func satellites(_ time: ReadingTime, _ flags: ReadingFlags) -> Satellites {
        let list = (0..<random.next() % 4).map { _ in
            Satellite(
                system: maybe { $0.word() }, number: integer(), elevation: maybe { $0.number() },
                azimuth: maybe { $0.number() }, signal: maybe { $0.number() },
                isUsed: random.next() % 2 == 0, isHealthy: maybe { $0.random.next() % 2 == 0 })
        }
        let dilution = Satellites.Dilution(
            horizontal: maybe { $0.number() }, vertical: maybe { $0.number() },
            position: maybe { $0.number() }, time: maybe { $0.number() },
            geometric: maybe { $0.number() })
        return Satellites(time: time, inView: list, dilution: dilution, flags: flags)
    }

    private mutating func frame(_ time: ReadingTime, _ flags: ReadingFlags) -> CameraFrame {
        let formats: [PixelFormat] = [.mjpeg, .yuyv, .nv12, .rgb24, .grey, PixelFormat(fourcc: 1)]
        let length = Int(random.next() % 200)
        let gap = Int(random.next() % 20)
        return CameraFrame(
            time: time, width: Int(random.next() % 5000) + 1, height: Int(random.next() % 5000) + 1,
            format: formats[Int(random.next() % UInt64(formats.count))],
            planes: [
                .init(offset: gap, stride: integer(), length: length),
                .init(offset: gap + length / 2, stride: integer(), length: length - length / 2),
            ],
            storage: FrameStorage(
                copying: (0..<gap + length).map { _ in UInt8(truncatingIfNeeded: random.next()) }),
            sequence: maybe { $0.integer() },
            timeReference: random.next() % 2 == 0 ? .startOfExposure : .endOfFrame, flags: flags)
    }
}
