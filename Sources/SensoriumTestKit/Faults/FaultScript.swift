import Sensorium

/// Something that goes wrong with a sensor or with what it stands on.
public enum Fault: Sendable, Hashable {
    /// Nothing comes for a while, and nothing says so.
    case stall(Duration)
    /// The next readings are lost on the way.
    case drop(Int)
    /// The next reading holds a value that is not a number.
    case notANumber
    /// UTC is set by this much.
    case clockJump(Duration)
    /// The next readings come twice.
    case duplicate(Int)
    /// The next readings come in reverse order, when the last of them has come.
    case reorder(Int)
    /// From now on the readings are noisy, with this standard deviation: in the unit of the reading,
    /// metres for a position; 0 ends it.
    case noise(Double)
    /// The device is pulled out.
    case unplug
    /// The device is put back in.
    case replug
    /// The right to read it is taken away.
    case deny
    /// The right to read it is given back.
    case permit
    /// The daemon ends and starts again after a while.
    case restart(Duration)
}

extension Fault {
    /// Whether it happens to readings on their way, whatever they come from: `.duplicate`,
    /// `.reorder`, `.noise`.
    ///
    /// No daemon and no device does so by itself; a sensor spy and a recording do.
    public var isOfReadings: Bool {
        switch self {
        case .duplicate, .reorder, .noise: true
        default: false
        }
    }
}

extension Fault: CustomStringConvertible {
    /// What goes wrong, in words.
    public var description: String {
        switch self {
        case .stall(let time): "nothing comes for \(time.secondsText(3)) s"
        case .drop(let count): "the next \(count) readings are lost"
        case .notANumber: "the next reading is not a number"
        case .clockJump(let time): "UTC is set by \(time.secondsText(3)) s"
        case .duplicate(let count): "the next \(count) readings come twice"
        case .reorder(let count): "the next \(count) readings come in reverse order"
        case .noise(let deviation): "readings have noise of \(deviation)"
        case .unplug: "the device is pulled out"
        case .replug: "the device is put back in"
        case .deny: "the right to read is taken away"
        case .permit: "the right to read is given back"
        case .restart(let time): "the daemon is away for \(time.secondsText(3)) s"
        }
    }
}

/// What faults can be played through: every spy.
public protocol FaultTarget: Sendable {
    /// Whether this fault can happen to it.
    ///
    /// A file cannot be denied in mid-stream, a sensor has no daemon.
    func canSuffer(_ fault: Fault) -> Bool
    /// Makes it happen now.
    ///
    /// - Throws: `SpyError` when it cannot happen to this spy.
    func suffer(_ fault: Fault) async throws
}

/// Faults in their order, each at its time.
///
/// ```swift
/// let script = FaultScript()
///     .after(.seconds(10), .stall(.seconds(3)))
///     .after(.seconds(5), .unplug)
///     .after(.seconds(1), .replug)
/// try await script.play(on: daemon, clock: clock)
/// ```
public struct FaultScript: Sendable, Hashable {
    /// One fault, and how long after the one before it.
    public struct Step: Sendable, Hashable {
        /// How long after the step before.
        public var delay: Duration
        /// What happens then.
        public var fault: Fault
    }

    /// The faults, in order.
    public var steps: [Step] = []

    /// Makes an empty script.
    public init() {}

    /// The script with one more fault, `delay` after the last.
    public func after(_ delay: Duration, _ fault: Fault) -> FaultScript {
        var longer = self
        longer.steps.append(Step(delay: delay, fault: fault))
        return longer
    }

    /// A script of `count` faults out of `faults`, up to `spread` apart, the same for the same seed.
    public static func random(
        seed: UInt64, count: Int, of faults: [Fault], spread: Duration
    ) -> FaultScript {
        var generator = SeededGenerator(seed: seed)
        var script = FaultScript()
        for _ in 0..<count {
            guard let fault = faults.randomElement(using: &generator) else { break }
            let delay = Int64.random(in: 0...max(1, spread.wholeNanoseconds), using: &generator)
            script = script.after(.nanoseconds(delay), fault)
        }
        return script
    }

    /// Plays the script on the clock's time.
    ///
    /// - Throws: what the target throws; `CancellationError` when the task is cancelled.
    public func play(on target: some FaultTarget, clock: any SensorClock) async throws {
        for step in steps {
            if step.delay > .zero {
                let due = clock.now.advanced(by: step.delay)
                try await clock.sleep(until: due, tolerance: nil)
            }
            try await target.suffer(step.fault)
        }
    }
}

/// Random numbers that are the same on every machine (SplitMix64).
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Starts the sequence of `seed`.
    public init(seed: UInt64) { state = seed }

    /// The next number.
    public mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
