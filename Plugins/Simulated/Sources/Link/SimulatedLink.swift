import Sensorium

/// The way to the device: all I/O of the plugin is behind it, and nothing else is.
///
/// A plugin for real hardware opens, reads and closes its device here, and has as much of a protocol
/// as its sensors need. Its spy is another implementation, so that the sensors and the decoding under
/// test are the ones that ship.
package protocol SimulatedLink: Sendable {
    /// When the walk began. Readings are taken at whole periods after it.
    var origin: SensorInstant { get }
    /// The kinds of sensors that are plugged in.
    var plugged: Set<SensorKind> { get }
    /// Calls `tell` whenever a sensor is plugged in (true) or unplugged; nil ends that.
    func watch(_ tell: (@Sendable (SensorKind, Bool) -> Void)?)
    /// Whether this process may read a sensor.
    func authorization(of kind: SensorKind) -> AuthorizationStatus
    /// Starts a sensor; every success is paired with one `disconnect`.
    func connect(_ kind: SensorKind) async throws(SimulatedFault)
    /// Stops a sensor.
    func disconnect(_ kind: SensorKind)
    /// Reads a connected sensor as it was at `instant`.
    func read(_ kind: SensorKind, at instant: SensorInstant) -> SimulatedAnswer
}

/// What a sensor answers when it is read.
package enum SimulatedAnswer: Sendable {
    /// It measured.
    case measured(Walk.Moment)
    /// It is well, but there is nothing to measure: a receiver without a fix.
    case nothingToMeasure
    /// It measured, but the reading was lost on the way.
    case lost
    /// It does not answer.
    case silence
    /// It is not there any more.
    case unplugged
}

/// Why a sensor could not be started: what the device says, before it becomes a `SensorError`.
package enum SimulatedFault: Error, Sendable, Hashable {
    /// The process has not the right.
    case denied
    /// Somebody else has it.
    case inUse
    /// It is not there.
    case missing
}

/// The link that ships: a walk that nothing disturbs.
struct UndisturbedLink: SimulatedLink {
    let walk: Walk
    let origin: SensorInstant

    var plugged: Set<SensorKind> { Set(Simulated.manifest.kinds) }

    func watch(_ tell: (@Sendable (SensorKind, Bool) -> Void)?) {}

    func authorization(of kind: SensorKind) -> AuthorizationStatus { .authorized }

    func connect(_ kind: SensorKind) async throws(SimulatedFault) {}

    func disconnect(_ kind: SensorKind) {}

    func read(_ kind: SensorKind, at instant: SensorInstant) -> SimulatedAnswer {
        .measured(walk.moment(after: origin.duration(to: instant)))
    }
}
