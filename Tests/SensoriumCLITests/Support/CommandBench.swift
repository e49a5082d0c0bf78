import Sensorium
import SensoriumTestKit

@testable import SensoriumCLI

/// Runs the command in this process, on a virtual clock and with spies for sensors.
final class CommandBench: Sendable {
    let clock: VirtualClock
    let registry: SensorRegistry
    let output = CollectedOutput()
    let errors = CollectedOutput()
    let screen = PictureCollector()
    private let code = Guarded<ExitCode?>(nil)
    private let loaded = Guarded<(folders: [String], host: PluginHost?)>(([], nil))
    private let terminal: Terminal?
    private let environment: [String: String]
    private let input: any ByteSource

    init(
        clock: VirtualClock = VirtualClock(), terminal: Terminal? = nil,
        environment: [String: String] = [:], input: any ByteSource = ScriptedInput([])
    ) {
        self.clock = clock
        self.terminal = terminal
        self.environment = environment
        self.input = input
        registry = SensorRegistry(host: PluginHost(clock: clock))
    }

    /// Adds a location sensor and gives it back.
    func location(_ id: SensorID = "gps/location", isSimulated: Bool = false) -> LocationSensorSpy {
        add(LocationFix.self, id, isSimulated)
    }

    /// Adds an accelerometer and gives it back.
    func acceleration(
        _ id: SensorID = "imu/acceleration", isSimulated: Bool = false
    ) -> MotionSensorSpy<Acceleration> {
        add(Acceleration.self, id, isSimulated)
    }

    func add<Reading: SensorReading>(
        _: Reading.Type, _ id: SensorID, _ isSimulated: Bool = false
    ) -> SensorSpy<Reading> {
        let descriptor = SensorDescriptor(
            id: id, kind: Reading.kind, name: "Spy", isSimulated: isSimulated)
        let spy = SensorSpy<Reading>(clock: clock, descriptor: descriptor)
        registry.add(spy)
        return spy
    }

    /// Starts a command line; it goes on as the test's clock does.
    @discardableResult
    func start(_ arguments: String...) -> Task<Void, Never> {
        clock.spawn("the command") { [self] in
            let code = await Program.run(arguments, in: surroundings)
            self.code.withLock { $0 = code }
        }
    }

    /// Runs a command line to its end, without the clock moving.
    func run(_ arguments: String...) async -> ExitCode { await run(arguments) }

    /// Runs a command line to its end, without the clock moving.
    func run(_ arguments: [String]) async -> ExitCode {
        await Program.run(arguments, in: surroundings)
    }

    /// How the command ended; nil while it runs.
    var exitCode: ExitCode? { code.withLock { $0 } }

    /// The folders that the command asked to search.
    var folders: [String] { loaded.withLock { $0.folders } }

    /// What plugins were given.
    var host: PluginHost? { loaded.withLock { $0.host } }

    private var surroundings: Surroundings {
        Surroundings(
            environment: environment, output: output, notices: Notices(to: errors), clock: clock,
            terminal: { [terminal] in terminal }, screen: screen,
            openInput: { [input] _ throws(CommandFailure) in input },
            loadSensors: { [self] folders, host in
                loaded.withLock { $0 = (folders, host) }
                return SensorSet(registry: registry)
            })
    }
}

/// Remembers what a table draws.
final class PictureCollector: Screen {
    private let state = Guarded<(pictures: [[String]], isEntered: Bool)>(([], false))

    func enter() async { state.withLock { $0.isEntered = true } }
    func draw(_ lines: [String]) async { state.withLock { $0.pictures.append(lines) } }
    func leave() async { state.withLock { $0.isEntered = false } }

    /// All pictures, oldest first.
    var pictures: [[String]] { state.withLock { $0.pictures } }

    /// Whether the terminal has not been given back.
    var isEntered: Bool { state.withLock { $0.isEntered } }
}

/// Gives a script of arrivals, and then ends.
final class ScriptedInput: ByteSource {
    private let script: Guarded<[ByteArrival]>
    private let limits = Collected<Duration?>()

    init(_ script: [ByteArrival]) { self.script = Guarded(script) }

    func next(within limit: Duration?) async throws(CommandFailure) -> ByteArrival {
        limits.append(limit)
        return script.withLock { $0.isEmpty ? .end : $0.removeFirst() }
    }

    /// How long the command was ready to wait, call by call.
    var asked: [Duration?] { limits.all }
}
