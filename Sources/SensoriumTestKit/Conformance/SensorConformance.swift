import Sensorium

/// Checks that a plugin, or a single sensor, keeps the contract that apps rely on.
///
/// It imports no test library: it returns a report, which a test asserts and a tool prints.
///
/// ```swift
/// let clock = VirtualClock()
/// let daemon = GPSDDaemonSpy(clock: clock)
/// let conformance = SensorConformance(
///     clock: clock, world: .init(makeReadings: { _ in await daemon.sayFix() }))
/// let report = await conformance.check { host in GPSD(host: host, link: daemon) }
/// #expect(report.passed, "\(report)")
/// ```
///
/// On a `VirtualClock` time flows by itself while the checks run, as fast as the work gets done: do not
/// advance it meanwhile. That suits doubles without threads and sockets. What has them, and any
/// loaded plugin, is checked on a `SystemClock`, where it takes some seconds.
public struct SensorConformance: Sendable {
    /// The clock that the plugin is given.
    public var clock: any SensorClock
    /// The plugin's configuration.
    public var configuration: [String: String]
    /// What the plugin's spy can do for the checks.
    public var world: World
    /// How long things may take.
    public var limits: Limits
    /// Which of the plugin's sensors to examine.
    public var selects: @Sendable (SensorDescriptor) -> Bool

    /// Makes a set of checks.
    ///
    /// - Parameters:
    ///   - clock: the clock that the plugin is given.
    ///   - configuration: the plugin's configuration, as in `["gpsd.address": "127.0.0.1:2947"]`.
    ///   - world: what the plugin's spy can do for the checks; by default nothing, which suits
    ///     plugins whose readings come by themselves.
    ///   - limits: how long things may take; by default what suits the clock.
    ///   - selects: which of the plugin's sensors to examine; by default all.
    public init(
        clock: any SensorClock, configuration: [String: String] = [:], world: World = World(),
        limits: Limits? = nil,
        selects: @escaping @Sendable (SensorDescriptor) -> Bool = { _ in true }
    ) {
        self.clock = clock
        self.configuration = configuration
        self.world = world
        self.limits = limits ?? (clock is VirtualClock ? .virtualTime : .realTime)
        self.selects = selects
    }

    /// Examines a plugin and all of its sensors.
    ///
    /// - Parameter make: makes the plugin, linked or loaded, for the host that it is given.
    public func check(
        _ make: @escaping @Sendable (PluginHost) async throws -> any PluginInstance
    ) async -> ConformanceReport {
        let run = ConformanceRun(self)
        await run.whileTimeFlows { await PluginExamination(run: run).examine(make) }
        return run.report
    }

    /// Examines a sensor by itself, which must be on this clock.
    public func check(_ sensor: any Sensor) async -> ConformanceReport {
        let run = ConformanceRun(self, subject: "\(sensor.id)")
        await run.whileTimeFlows { await run.examine(sensor, of: nil) }
        return run.report
    }

    /// What a plugin's spy can do for the checks.
    public struct World: Sendable {
        /// Makes one or a few readings of that sensor come; nil where they come by themselves.
        ///
        /// Called over and over while a session is open and the checks wait for readings.
        public var makeReadings: (@Sendable (SensorDescriptor) async throws -> Void)?
        /// How long to wait between two calls of `makeReadings`.
        public var interval: Duration
        /// Takes the source of that sensor away (unplugs it, hangs up, stalls) while it is open; nil
        /// where that cannot be done.
        public var breakSource: (@Sendable (SensorDescriptor) async throws -> Void)?
        /// Brings it back.
        public var mendSource: (@Sendable (SensorDescriptor) async throws -> Void)?
        /// How many devices or connections are open now; nil where nobody counts.
        public var openCount: (@Sendable () -> Int)?
        /// The kinds whose source tells the time, so that each reading must keep it.
        public var tellsTime: Set<SensorKind>

        /// Makes a world that can do what is given.
        public init(
            makeReadings: (@Sendable (SensorDescriptor) async throws -> Void)? = nil,
            every interval: Duration = .milliseconds(50),
            breakSource: (@Sendable (SensorDescriptor) async throws -> Void)? = nil,
            mendSource: (@Sendable (SensorDescriptor) async throws -> Void)? = nil,
            openCount: (@Sendable () -> Int)? = nil, tellsTime: Set<SensorKind> = []
        ) {
            self.makeReadings = makeReadings
            self.interval = interval
            self.breakSource = breakSource
            self.mendSource = mendSource
            self.openCount = openCount
            self.tellsTime = tellsTime
        }
    }

    /// How long things may take, on the clock of the checks.
    public struct Limits: Sendable {
        /// For `open`, `discover`, `requestAuthorization`.
        public var opening: Duration
        /// For the first reading of a session.
        public var delivery: Duration
        /// For further readings; fewer than wanted are enough.
        public var gathering: Duration
        /// For `close`, `stop`, and the end of what was cancelled.
        public var closing: Duration
        /// How long to listen for what must not come.
        public var quiet: Duration
        /// For a sensor to tell that its source is gone.
        public var interruption: Duration
        /// How far a reading's instant may be after its delivery: clocks are not read together.
        public var lead: Duration
        /// How far it may be from its delivery at all.
        public var distance: Duration
        /// How many readings to look at.
        public var readings: Int

        /// Generous, since virtual time costs nothing.
        public static let virtualTime = Limits(
            opening: .seconds(30), delivery: .seconds(60), gathering: .seconds(120),
            closing: .seconds(5), quiet: .seconds(30), interruption: .seconds(120),
            lead: .milliseconds(20), distance: .seconds(60), readings: 20)

        /// A few seconds for each sensor.
        public static let realTime = Limits(
            opening: .seconds(5), delivery: .seconds(10), gathering: .seconds(2),
            closing: .seconds(3), quiet: .milliseconds(300), interruption: .seconds(10),
            lead: .milliseconds(50), distance: .seconds(60), readings: 5)
    }
}
