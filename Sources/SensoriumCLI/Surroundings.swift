import Sensorium

/// All that a command touches outside itself, so that a test can stand in for it.
struct Surroundings: Sendable {
    /// Environment variables by name.
    var environment: [String: String] = [:]
    /// Standard output.
    var output: any TextOutput
    /// What is told beside the output.
    var notices: Notices
    /// What everything waits on.
    var clock: any SensorClock = SystemClock()
    /// The terminal that standard output is; nil where it is none.
    var terminal: @Sendable () -> Terminal? = { nil }
    /// Shows what a table draws.
    var screen: any Screen = NoScreen()
    /// Opens a file, or standard input where the name is nil.
    var openInput: @Sendable (String?) throws(CommandFailure) -> any ByteSource
    /// Loads plugins from the usual folders and those given, and looks for their sensors.
    var loadSensors: @Sendable (_ folders: [String], PluginHost) async -> SensorSet
}

/// Bytes from outside, as they come.
protocol ByteSource: Sendable {
    /// What comes next.
    ///
    /// - Parameter limit: how long to wait for bytes; nil for as long as it takes.
    func next(within limit: Duration?) async throws(CommandFailure) -> ByteArrival
}

/// What a source gave.
enum ByteArrival: Hashable, Sendable {
    case bytes([UInt8])
    /// Nothing within the time.
    case silence
    /// Nothing more comes, or the command was asked to end.
    case end
}

/// A terminal's picture, redrawn as a whole.
protocol Screen: Sendable {
    /// Takes the screen over.
    func enter() async
    /// Shows lines from the top, in place of what was shown.
    func draw(_ lines: [String]) async
    /// Gives the screen back as it was.
    func leave() async
}

/// No terminal.
struct NoScreen: Screen {
    func enter() async {}
    func draw(_ lines: [String]) async {}
    func leave() async {}
}
