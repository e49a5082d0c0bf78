/// What a consumer would like of a sensor.
public struct SamplingRequest: Sendable, Hashable {
    /// Readings a second; nil for what the sensor gives by itself.
    ///
    /// A sensor runs at the lowest of its rates that is at least this, or at its highest.
    public var rate: Double?
    /// How long a sensor may hold readings back to deliver them together; zero for at once.
    public var maxLatency: Duration
    /// How many readings wait for a slow consumer, and which are dropped beyond that.
    public var buffering: Buffering

    /// Makes a request.
    ///
    /// A rate that is not a positive number is taken as nil.
    public init(
        rate: Double? = nil, maxLatency: Duration = .zero, buffering: Buffering = .newest(1024)
    ) {
        self.rate = rate.flatMap { $0 > 0 && $0.isFinite ? $0 : nil }
        self.maxLatency = maxLatency
        self.buffering = buffering
    }

    /// The sensor's own rate, at once, the newest 1024.
    public static let `default` = SamplingRequest()

    /// What waits for a slow consumer.
    ///
    /// What is dropped is always counted.
    public enum Buffering: Sendable, Hashable {
        /// Keeps the newest, drops the oldest.
        case newest(Int)
        /// Keeps the oldest, drops what comes.
        case oldest(Int)

        /// How many readings may wait; at least 1.
        public var capacity: Int {
            switch self {
            case .newest(let count), .oldest(let count): max(1, count)
            }
        }
    }
}
