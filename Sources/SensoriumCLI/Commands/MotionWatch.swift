import Sensorium
import SensoriumServices

/// What `watch` recognizes in the readings of an accelerometer, when it is asked by that word.
enum RecognizedMotion: String, CaseIterable, Sendable {
    case shake
    case orientation

    /// The words, for completion and help.
    static var words: [String] { allCases.map(\.rawValue) }

    /// Takes these words out of those of the command line.
    static func extract(from words: inout [String]) -> Set<RecognizedMotion> {
        let motions = words.compactMap { RecognizedMotion(rawValue: $0) }
        words.removeAll { RecognizedMotion(rawValue: $0) != nil }
        return Set(motions)
    }
}

/// One run of `watch shake` or `watch orientation`.
struct MotionWatch: Sendable {
    private let motions: Set<RecognizedMotion>
    private let chosen: [SensorDescriptor]
    private let sensors: SensorSet
    private let surroundings: Surroundings
    private let isJSON: Bool
    private let rate: Double
    private let quota: Quota

    /// How often an accelerometer is asked where `--rate` does not say.
    private static var usualRate: Double { 50 }

    /// Prepares a run.
    ///
    /// - Parameter words: the accelerometers; the best one where there is no word.
    init(
        _ motions: Set<RecognizedMotion>, of words: [String], sensors: SensorSet,
        surroundings: Surroundings, isJSON: Bool, rate: Double?, quota: Quota
    ) throws(CommandFailure) {
        let kind = SensorKind.acceleration
        chosen = try words.isEmpty ? [sensors.one(kind.name)] : sensors.all(words)
        if let other = chosen.first(where: { $0.kind != kind }) {
            let names = motions.map(\.rawValue).sorted().joined(separator: " and ")
            throw .misuse(
                "\(names) can only be watched on an accelerometer, and \(other.id) is a "
                    + "\(other.kind.words) sensor",
                hint: "watch it in a run of its own")
        }
        self.motions = motions
        self.sensors = sensors
        self.surroundings = surroundings
        self.isJSON = isJSON
        self.rate = rate ?? Self.usualRate
        self.quota = quota
    }

    /// Watches until the time or the quota is used up, all sensors have ended, or it is cancelled.
    func run(for limit: Duration?) async -> ExitCode {
        let losses = LossLedger(notices: surroundings.notices, clock: surroundings.clock)
        let code = await surroundings.clock.within(limit) { await followAll(losses) }
        losses.settle()
        return code ?? .success
    }

    private func followAll(_ losses: LossLedger) async -> ExitCode {
        await withTaskGroup(of: (isDone: Bool, failure: ExitCode?).self) { group in
            for sensor in chosen { group.addTask { await follow(sensor, losses) } }
            var code = ExitCode.success
            for await (isDone, failure) in group {
                if code == .success, let failure { code = failure }
                if isDone { group.cancelAll() }
            }
            return code
        }
    }

    private func follow(
        _ descriptor: SensorDescriptor, _ losses: LossLedger
    ) async -> (isDone: Bool, failure: ExitCode?) {
        do throws(SensorError) {
            return (try await followEvents(of: descriptor, losses), nil)
        } catch {
            surroundings.notices.postLast("\(error)")
            return (false, ExitCode(error))
        }
    }

    /// - Returns: whether the quota is used up.
    private func followEvents(
        of descriptor: SensorDescriptor, _ losses: LossLedger
    ) async throws(SensorError) -> Bool {
        guard let sensor = sensors.registry.sensor(descriptor.id, of: Acceleration.self) else {
            throw .disconnected(
                descriptor.id, reason: "it left the machine", hint: "plug it in again")
        }
        var shake = motions.contains(.shake) ? ShakeRecognizer() : nil
        var orientation = motions.contains(.orientation) ? OrientationRecognizer() : nil
        for try await update in sensor.readings(SamplingRequest(rate: rate)).updates {
            switch update {
            case .reading: break
            case .status(let status): surroundings.notices.post(status, of: descriptor.id)
            case .lost(let loss): losses.add(loss, of: descriptor.id)
            }
            if let event = shake?.take(update), await show(MotionLine(event, of: descriptor)) {
                return true
            }
            if let change = orientation?.take(update),
                await show(MotionLine(change, of: descriptor))
            {
                return true
            }
        }
        return false
    }

    /// - Returns: whether it was the last one.
    private func show(_ line: MotionLine) async -> Bool {
        let (passes, isLast) = quota.take()
        if passes { await surroundings.output.write(isJSON ? line.json : line.text) }
        return isLast
    }
}

/// What was recognized, as one line.
struct MotionLine: Sendable {
    /// A line for people: seconds since boot, the sensor, what happened.
    let text: [UInt8]
    /// A JSON line.
    let json: [UInt8]

    init(_ event: ShakeEvent, of sensor: SensorDescriptor) {
        let strength = "strength \(event.strength.fixed(1)) m/s²"
        self.init(.shake, "\(event.phase.rawValue)  \(strength)", event.instant, sensor) { json in
            json.member("phase", event.phase.rawValue)
            json.member("strength", event.strength)
        }
    }

    init(_ change: OrientationChange, of sensor: SensorDescriptor) {
        let before = change.previous.map { "  (was \($0))" } ?? ""
        let words = "\(change.orientation)\(before)"
        self.init(.orientation, words, change.instant, sensor) { json in
            json.member("orientation", "\(change.orientation)")
            json.nullableMember("previous", change.previous.map { "\($0)" })
        }
    }

    private init(
        _ motion: RecognizedMotion, _ words: String, _ instant: SensorInstant,
        _ sensor: SensorDescriptor, _ members: (inout JSONWriter) -> Void
    ) {
        let seconds = Duration.nanoseconds(instant.nanoseconds).secondsText(6)
        let mark = sensor.isSimulated ? "  (simulated)" : ""
        let id = sensor.id.rawValue
        text = Array("\(seconds)  \(id.printable)  \(motion.rawValue) \(words)\(mark)\n".utf8)
        var writer = JSONWriter()
        writer.object { json in
            json.member("sensor", id)
            json.member("event", motion.rawValue)
            json.member("t", instant.nanoseconds)
            if sensor.isSimulated { json.member("simulated", true) }
            members(&json)
        }
        writer.newLine()
        json = writer.bytes
    }
}
