/// How a sensor does, told in order with its readings.
public struct SensorStatus: Sendable, Hashable {
    /// In short.
    public var state: State
    /// Why, as a clause; empty where there is nothing to say.
    public var reason: String
    /// What to do about it, as a clause; empty where there is nothing to do.
    public var hint: String

    /// Makes a status.
    public init(_ state: State, reason: String = "", hint: String = "") {
        self.state = state
        self.reason = reason
        self.hint = hint
    }

    /// In short.
    ///
    /// The raw values cross the plugin boundary.
    public enum State: UInt8, Sendable, Hashable, CaseIterable {
        /// Being opened, or waiting for its source (a daemon that is not there yet).
        case waiting = 0
        /// Connected; readings come, or will when there is something to measure.
        case running = 1
        /// Connected, but nothing measured: a receiver without a fix.
        case searching = 2
        /// Nothing came for too long. Readings go on by themselves if it comes back.
        case stale = 3
        /// The source went away; the sensor tries to get it back.
        case reconnecting = 4
    }
}

extension SensorStatus: CustomStringConvertible {
    /// `reconnecting: gpsd closed the connection; trying again in 2 s`.
    public var description: String {
        [("\(state)", ""), (reason, ": "), (hint, "; ")].reduce(into: "") { text, part in
            if !part.0.isEmpty { text += part.1 + part.0 }
        }
    }
}

/// Readings that were measured, or should have been, and did not arrive.
public struct ReadingLoss: Sendable, Hashable {
    /// How many; at least 1.
    public var count: Int
    /// Why.
    public var reason: Reason

    /// Makes a loss.
    public init(count: Int, reason: Reason) {
        self.count = count
        self.reason = reason
    }

    /// Why readings are lost.
    ///
    /// The raw values cross the plugin boundary.
    public enum Reason: UInt8, Sendable, Hashable, CaseIterable {
        /// The consumer was slower than the sensor, and its buffer was full.
        case slowConsumer = 0
        /// The device, its driver or its daemon dropped them.
        case device = 1
        /// What came could not be understood.
        case malformed = 2
        /// What came made no sense: not a number, out of range.
        case implausible = 3
        /// A fault that a test injected.
        case injected = 4
    }
}
