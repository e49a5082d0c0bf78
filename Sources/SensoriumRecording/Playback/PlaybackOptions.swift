import Sensorium

/// How a recording is played.
public struct PlaybackOptions: Sendable, Hashable {
    /// How many seconds of the recording pass in one second of the clock; above 0.
    public var speed: Double
    /// Whether it starts again at its end.
    ///
    /// Instants go on; a touch that is down at the end is cancelled.
    public var loops: Bool
    /// Where to begin, from the start of the recording.
    public var start: Duration
    /// How long after the first sensor was opened the recording begins, so that an app has time to open
    /// the others and misses nothing.
    public var lead: Duration
    /// Hertz for a file whose events have no times at all, such as a GPX route.
    ///
    /// Without it such a file is refused.
    public var rate: Double?
    /// What comes before the recorded ids.
    public var idPrefix: String

    /// Makes options; a speed that is not above 0 counts as 1.
    public init(
        speed: Double = 1, loops: Bool = false, start: Duration = .zero,
        lead: Duration = .milliseconds(100), rate: Double? = nil, idPrefix: String = ""
    ) {
        self.speed = speed > 0 && speed.isFinite ? speed : 1
        self.loops = loops
        self.start = max(.zero, start)
        self.lead = max(.zero, lead)
        self.rate = rate.flatMap { $0 > 0 && $0.isFinite ? $0 : nil }
        self.idPrefix = idPrefix
    }
}
