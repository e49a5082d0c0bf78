import Sensorium

/// How long the host waits for a plugin before it goes on without it.
///
/// A plugin that keeps to the boundary never comes near: its calls return at once, and what they
/// start is bounded by the plugin itself.
struct CallLimits: Sendable {
    var start: Duration = .seconds(10)
    var discover: Duration = .seconds(30)
    var open: Duration = .seconds(30)
    var close: Duration = .seconds(10)
}
