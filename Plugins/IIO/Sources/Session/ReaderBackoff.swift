import Sensorium

/// How long a reader waits before it starts anew.
///
/// The first attempt comes at once: a buffer that stalled often works when it is made anew. After that
/// the pauses double, up to 5 s. A device that works for a moment and fails again, as behind a daemon
/// that flaps, is no better than one that does not come back: only what has worked for twice as long as
/// the last pause, and for a second, begins again at the start.
package struct ReaderBackoff: Sendable {
    /// The longest wait between two attempts.
    package static let longest = Duration.seconds(5)

    private var failures = 0
    private var workingSince: SensorInstant?

    /// Makes one for a reader that has not failed yet.
    package init() {}

    /// Notes that reading works now.
    package mutating func work(since instant: SensorInstant) {
        workingSince = workingSince ?? instant
    }

    /// The pause after a failure.
    package mutating func next(at instant: SensorInstant) -> Duration {
        if let since = workingSince.take() {
            let enough = max(.seconds(1), Self.pause(after: failures) * 2)
            if since.duration(to: instant) >= enough { failures = 0 }
        }
        failures += 1
        return Self.pause(after: failures)
    }

    private static func pause(after failures: Int) -> Duration {
        switch failures {
        case 0: .zero
        case 1: .milliseconds(20)
        default: min(.milliseconds(250) * (1 << min(failures - 2, 6)), longest)
        }
    }
}
