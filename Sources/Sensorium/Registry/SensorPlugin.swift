/// Brings sensors of one kind of source.
///
/// This is what a plugin author writes.
///
/// ## Implementing a plugin
///
/// - Wait only through `host.clock`, and start tasks only with `host.clock.spawn`, so that a test
///   can drive the plugin with a virtual clock.
/// - Blocking calls go on a thread of the plugin's own, never on the cooperative pool.
/// - A missing daemon or device is not an error of `discover`: return what there is.
public protocol SensorPlugin: PluginInstance {
    /// What the plugin is.
    static var manifest: PluginManifest { get }
    /// Makes the plugin. Do nothing slow here.
    init(host: PluginHost)
}

extension SensorPlugin {
    /// What the plugin is.
    public var manifest: PluginManifest { Self.manifest }
}

/// A plugin at work, linked into the app or loaded at run time.
public protocol PluginInstance: Sendable {
    /// What the plugin is.
    var manifest: PluginManifest { get }
    /// Finds the sensors that are there now. Does not open them.
    ///
    /// - Throws: `SensorError` when the plugin cannot look at all.
    func discover() async throws(SensorError) -> [any Sensor]
    /// Tells of sensors that come and go after `discover`, until `stop`.
    ///
    /// Called once, before `discover`. The default does nothing.
    func watch(_ tell: @escaping @Sendable (SensorChange) -> Void) async
    /// Ends watching, and everything else that the plugin runs. The default does nothing.
    func stop() async
}

extension PluginInstance {
    /// Nothing comes or goes.
    public func watch(_ tell: @escaping @Sendable (SensorChange) -> Void) async {}
    /// Nothing runs.
    public func stop() async {}
}

/// A sensor came or went.
public enum SensorChange: Sendable {
    /// It is there now.
    case arrived(any Sensor)
    /// It is gone; open streams end with `SensorError.disconnected`, or wait, as the plugin says.
    case departed(SensorID)
}

/// What a plugin says of itself.
public struct PluginManifest: Sendable, Hashable {
    /// A short name: `gpsd`.
    ///
    /// It is the first part of its sensors' ids, and of its configuration keys (`gpsd.address`).
    public var id: String
    /// The plugin's version, `MAJOR.MINOR.PATCH`.
    public var version: String
    /// The kinds of sensors it may bring.
    public var kinds: [SensorKind]

    /// Makes a manifest.
    public init(id: String, version: String, kinds: [SensorKind]) {
        self.id = id
        self.version = version
        self.kinds = kinds
    }
}

/// What a host gives its plugins: a clock, configuration, and a place for diagnostics.
public struct PluginHost: Sendable {
    /// All waiting goes through this.
    public var clock: any SensorClock
    private let lookUp: @Sendable (String) -> String?
    private let write: @Sendable (LogLevel, String) -> Void

    /// Makes a host.
    ///
    /// - Parameters:
    ///   - clock: the clock for everything that the plugin does.
    ///   - configuration: values by key, as in `gpsd.address`.
    ///   - log: takes diagnostics, from any thread.
    public init(
        clock: any SensorClock = SystemClock(),
        configuration: @escaping @Sendable (String) -> String? = { _ in nil },
        log: @escaping @Sendable (LogLevel, String) -> Void = { _, _ in }
    ) {
        self.clock = clock
        lookUp = configuration
        write = log
    }

    /// The configured value of `key`; nil where none is set.
    public func configuration(_ key: String) -> String? { lookUp(key) }

    /// Tells people something about a source.
    public func log(_ level: LogLevel, _ message: String) { write(level, message) }
}

/// How much a diagnostic matters.
///
/// The raw values cross the plugin boundary.
public enum LogLevel: UInt8, Sendable, Hashable, Comparable {
    /// For the plugin's author.
    case debug = 0
    /// Good to know.
    case info = 1
    /// Something is not as it should be; readings go on.
    case warning = 2
    /// Readings do not come.
    case error = 3

    /// By weight.
    public static func < (a: LogLevel, b: LogLevel) -> Bool { a.rawValue < b.rawValue }
}
