import Sensorium

@testable import SensoriumTestKit

/// A way to break the contract that one check, and no other, must find.
enum Breach: CaseIterable {
    case manifestVersion, foreignPrefix, newIDsEachTime, goesOnAfterStop
    case namelessDescriptor, kindOfAnother, answersOtherwise
    case hangsAtOpen, silent, stepsBack, stampsInUTC, stampsAhead, originalOfAnother, notANumber
    case unflagged, grantsTooLittle, stopsAtReconfiguration, hangsAtClose, lastWord
    case hangsAtSecondClose, hangsWhenOpeningIsCancelled, hangsWhenLoopIsCancelled
    case givesSecondSessionNothing, countsTwice, keepsQuietWhenUnplugged, opensSixteenTimes
    case givesNoReason, namesAnother

    /// The check that must find it.
    var check: ConformanceCheck {
        switch self {
        case .manifestVersion: .manifest
        case .foreignPrefix: .identifiers
        case .newIDsEachTime: .discovery
        case .goesOnAfterStop: .stopping
        case .namelessDescriptor: .descriptor
        case .kindOfAnother: .kind
        case .answersOtherwise: .authorization
        case .hangsAtOpen: .opening
        case .silent: .delivery
        case .stepsBack: .order
        case .stampsInUTC: .axis
        case .stampsAhead: .future
        case .originalOfAnother: .original
        case .notANumber: .values
        case .unflagged: .simulation
        case .grantsTooLittle: .rate
        case .stopsAtReconfiguration: .reconfiguring
        case .hangsAtClose: .closing
        case .lastWord: .silence
        case .hangsAtSecondClose: .closingTwice
        case .hangsWhenOpeningIsCancelled: .cancelledOpening
        case .hangsWhenLoopIsCancelled: .cancelledWaiting
        case .givesSecondSessionNothing: .sharing
        case .countsTwice: .losses
        case .keepsQuietWhenUnplugged: .interruption
        case .opensSixteenTimes: .reopening
        case .givesNoReason: .statuses
        case .namesAnother: .errors
        }
    }
}

/// A plugin with one sensor, which is good but for one breach.
final class FaultyPlugin: PluginInstance {
    let breach: Breach?
    let clock: VirtualClock
    private let sensors = Guarded<[FaultySensor]>([])
    private let discoveries = Guarded(0)

    init(_ breach: Breach?, clock: VirtualClock) {
        self.breach = breach
        self.clock = clock
    }

    var manifest: PluginManifest {
        PluginManifest(
            id: "faulty", version: breach == .manifestVersion ? "1" : "1.0.0",
            kinds: [.acceleration])
    }

    func discover() async throws(SensorError) -> [any Sensor] {
        let time = discoveries.withLock { count in
            count += 1
            return count
        }
        let number = breach == .newIDsEachTime ? time : 1
        let prefix = breach == .foreignPrefix ? "other" : "faulty"
        let sensor = FaultySensor("\(prefix)/\(number)", breach, clock)
        sensors.withLock { $0.append(sensor) }
        return [sensor]
    }

    func stop() async {
        if breach == .goesOnAfterStop { return }
        for sensor in sensors.withLock({ $0 }) { await sensor.end() }
    }

    /// Unplugs the sensor.
    func unplug() {
        if breach == .keepsQuietWhenUnplugged { return }
        for sensor in sensors.withLock({ $0 }) { sensor.unplug() }
    }

    /// Plugs it in again.
    func plug() { for sensor in sensors.withLock({ $0 }) { sensor.plug() } }
}

/// An accelerometer that ticks at the rate asked for, with one breach.
final class FaultySensor: MotionSensor {
    typealias Reading = Acceleration

    private struct State {
        var openings = 0
        var isUnplugged = false
        var sessions: [Int: FaultySession] = [:]
    }

    let descriptor: SensorDescriptor
    let breach: Breach?
    let virtualClock: VirtualClock
    var clock: any SensorClock { virtualClock }
    private let state = Guarded(State())

    init(_ id: String, _ breach: Breach?, _ clock: VirtualClock) {
        self.breach = breach
        virtualClock = clock
        descriptor = SensorDescriptor(
            id: SensorID(id), kind: breach == .kindOfAnother ? .pressure : .acceleration,
            name: breach == .namelessDescriptor ? "" : "Faulty", rates: .range(1...200),
            isSimulated: true)
    }

    func requestAuthorization() async -> AuthorizationStatus {
        breach == .answersOtherwise ? .denied : .authorized
    }

    func open(
        _ request: SamplingRequest, delivering sink: ReadingSink<Acceleration>
    ) async throws(SensorError) -> any SensorSession {
        if breach == .hangsAtOpen { await forEver() }
        if breach == .hangsWhenOpeningIsCancelled, Task.isCancelled { await forEver() }
        if Task.isCancelled { throw .cancelled(id) }
        let (number, others) = state.withLock { state in
            state.openings += 1
            return (state.openings, state.sessions.count)
        }
        if breach == .opensSixteenTimes, number > 16 {
            throw .unavailable(id, reason: "it was opened too often", hint: "buy another")
        }
        if breach == .namesAnother, others > 0 {
            throw .busy("other/1", reason: "it is in use", hint: "wait")
        }
        let isMute = breach == .silent || (breach == .givesSecondSessionNothing && others > 0)
        let session = FaultySession(self, number, sink, isMute: isMute)
        state.withLock { $0.sessions[number] = session }
        session.start(request)
        return session
    }

    var isUnplugged: Bool { state.withLock { $0.isUnplugged } }

    func unplug() { state.withLock { $0.isUnplugged = true } }

    func plug() { state.withLock { $0.isUnplugged = false } }

    func forget(_ number: Int) { state.withLock { _ = $0.sessions.removeValue(forKey: number) } }

    func end() async {
        for session in state.withLock({ Array($0.sessions.values) }) { await session.halt() }
    }

    func forEver() async {
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }
}

final class FaultySession: SensorSession {
    private struct State {
        var ticker: Task<Void, Never>?
        var rate = 100.0
        var closings = 0
        var ticks = 0
    }

    private let sensor: FaultySensor
    private let number: Int
    private let sink: ReadingSink<Acceleration>
    private let isMute: Bool
    private let state = Guarded(State())

    private var breach: Breach? { sensor.breach }
    private var clock: VirtualClock { sensor.virtualClock }

    init(
        _ sensor: FaultySensor, _ number: Int, _ sink: ReadingSink<Acceleration>, isMute: Bool
    ) {
        self.sensor = sensor
        self.number = number
        self.sink = sink
        self.isMute = isMute
    }

    var grantedRate: Double? {
        breach == .grantsTooLittle ? 1 : state.withLock { $0.rate }
    }

    func start(_ request: SamplingRequest) {
        let rate = min(max(request.rate ?? 100, 1), 200)
        if breach == .givesNoReason { sink.report(SensorStatus(.waiting)) }
        let clock = clock
        state.withLock { state in
            state.rate = rate
            let previous = state.ticker
            previous?.cancel()
            state.ticker = clock.spawn("faulty ticker") {
                await previous?.value
                while await clock.pause(for: .seconds(1 / rate)) { if !self.tick() { return } }
            }
        }
    }

    func reconfigure(_ request: SamplingRequest) async throws(SensorError) {
        if breach != .stopsAtReconfiguration { return start(request) }
        state.withLock { $0.ticker }?.cancel()
    }

    func close() async {
        let closings = state.withLock { state in
            state.closings += 1
            return state.closings
        }
        if breach == .hangsAtClose, number == 1 { await sensor.forEver() }
        if breach == .hangsAtSecondClose, closings == 2, number == 1 { await sensor.forEver() }
        if breach == .hangsWhenLoopIsCancelled, Task.isCancelled { await sensor.forEver() }
        await halt()
        if breach == .lastWord, closings == 1, number == 1 {
            let (clock, sink) = (clock, sink)
            clock.spawn("last word") {
                await clock.pause(for: .milliseconds(10))
                sink.report(SensorStatus(.running))
            }
        }
    }

    func halt() async {
        let ticker = state.withLock { $0.ticker }
        ticker?.cancel()
        await ticker?.value
        sensor.forget(number)
    }

    /// Delivers a reading; false when there is none any more.
    private func tick() -> Bool {
        if sensor.isUnplugged {
            sink.finish(.disconnected(sensor.id, reason: "it was unplugged", hint: "plug it in"))
            return false
        }
        if isMute { return true }
        let ticks = state.withLock { state in
            state.ticks += 1
            return state.ticks
        }
        let now = clock.now
        let utc = clock.sample(.realtime)?.time.nanoseconds ?? 0
        var time = ReadingTime(
            now, original: ClockTime(nanoseconds: utc, domain: .realtime), uncertainty: .zero)
        switch breach {
        case .stepsBack where ticks % 7 == 3:
            time = ReadingTime(now.advanced(by: .milliseconds(-30)))
        case .stampsInUTC: time = ReadingTime(SensorInstant(nanoseconds: utc))
        case .stampsAhead: time = ReadingTime(now.advanced(by: .milliseconds(100)))
        case .originalOfAnother:
            time = ReadingTime(
                now, original: ClockTime(nanoseconds: utc - 3_600_000_000_000, domain: .realtime))
        default: break
        }
        let z = breach == .notANumber && ticks % 3 == 0 ? Double.nan : 9.81
        if breach == .countsTwice { sink.lose(1, .slowConsumer) }
        sink.deliver(
            Acceleration(
                time: time, x: 0, y: 0, z: z, flags: breach == .unflagged ? [] : .simulated))
        return true
    }
}
