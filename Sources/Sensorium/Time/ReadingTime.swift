/// When a reading was measured, and how well that is known.
///
/// `instant` is on the canonical axis, boot time. The time that the source itself gave is kept
/// beside it in the source's own domain, so that nothing is lost by the mapping.
@frozen
public struct ReadingTime: Sendable, Hashable {
    /// The measurement, on boot time.
    public var instant: SensorInstant
    @usableFromInline var originalNanoseconds: Int64
    @usableFromInline var uncertaintySeconds: Float
    @usableFromInline var originalDomain: ClockDomain?
    /// Where `instant` comes from.
    public var source: Source

    /// Where the instant of a reading comes from.
    public enum Source: UInt8, Sendable, Hashable, CaseIterable {
        /// The source's own stamp, mapped to boot time.
        case device = 0
        /// The moment at which this host received the reading: the source gave no time, or one that
        /// is not plausible.
        case arrival = 1
    }

    /// Makes a time.
    ///
    /// - Parameters:
    ///   - instant: the measurement, on boot time.
    ///   - original: the time as the source gave it; nil where it gave none.
    ///   - uncertainty: how far `instant` may be from the truth; nil where unknown.
    ///   - source: where `instant` comes from.
    @inlinable
    public init(
        _ instant: SensorInstant, original: ClockTime? = nil, uncertainty: Duration? = nil,
        source: Source = .device
    ) {
        self.instant = instant
        originalNanoseconds = original?.nanoseconds ?? 0
        originalDomain = original?.domain
        uncertaintySeconds = uncertainty.map { Float($0.inSeconds) } ?? .nan
        self.source = source
    }

    /// Makes a time without a conversion of the uncertainty, for code that runs once a reading.
    ///
    /// - Parameter uncertaintySeconds: seconds; NaN where unknown.
    @inlinable
    package init(
        instant: SensorInstant, originalNanoseconds: Int64, originalDomain: ClockDomain,
        knownOriginal: Bool, uncertaintySeconds: Float, source: Source
    ) {
        self.instant = instant
        self.originalNanoseconds = originalNanoseconds
        self.originalDomain = knownOriginal ? originalDomain : nil
        self.uncertaintySeconds = uncertaintySeconds
        self.source = source
    }

    /// The time as the source gave it, in its own domain; nil where it gave none.
    @inlinable
    public var original: ClockTime? {
        originalDomain.map { ClockTime(nanoseconds: originalNanoseconds, domain: $0) }
    }

    /// How far `instant` may be from the truth; nil where unknown.
    ///
    /// Kept to seven digits.
    @inlinable
    public var uncertainty: Duration? {
        uncertaintySeconds.isNaN ? nil : .seconds(Double(uncertaintySeconds))
    }

    /// `uncertainty` in seconds; NaN where unknown.
    @inlinable
    package var rawUncertainty: Float { uncertaintySeconds }

    /// UTC in nanoseconds since 1970, where the source gave UTC; else nil.
    @inlinable
    public var utcNanoseconds: Int64? {
        originalDomain == .realtime ? originalNanoseconds : nil
    }

    /// Whether the reading has a usable time: an instant of 0 or less stands for "unknown".
    @inlinable
    public var isKnown: Bool { instant.nanoseconds > 0 }

    /// Whether two times are the same; unknown uncertainties are equal.
    @inlinable
    public static func == (a: ReadingTime, b: ReadingTime) -> Bool {
        a.instant == b.instant && a.original == b.original && a.source == b.source
            && (a.uncertaintySeconds == b.uncertaintySeconds
                || (a.uncertaintySeconds.isNaN && b.uncertaintySeconds.isNaN))
    }

    /// Hashes what `==` compares, but for the uncertainty.
    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(instant)
        hasher.combine(original)
        hasher.combine(source)
    }
}
