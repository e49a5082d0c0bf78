import Sensorium

/// How a recorder does.
public struct RecorderProgress: Sendable, Hashable {
    /// How long it has been recording.
    public var elapsed: Duration
    /// How many bytes the file has.
    public var byteCount: UInt64
    /// The sensors, in the order in which they were added.
    public var sensors: [Sensor]

    /// How the recording of one sensor does.
    public struct Sensor: Sendable, Hashable {
        /// The sensor.
        public var id: SensorID
        /// How many readings were taken.
        public var readings = 0
        /// When the newest of them arrived; nil before the first.
        public var newest: SensorInstant?
        /// How many readings are known to be missing.
        public var lost = 0
        /// What it said last of how it does.
        public var status: SensorStatus?
        /// Whether nothing more comes from it.
        public var hasEnded = false
        /// Why nothing more comes; nil where it came to its end by itself.
        public var error: SensorError?

        /// Makes the report of a sensor that gave nothing yet.
        public init(id: SensorID) { self.id = id }
    }

    /// Makes a report.
    public init(elapsed: Duration, byteCount: UInt64, sensors: [Sensor]) {
        self.elapsed = elapsed
        self.byteCount = byteCount
        self.sensors = sensors
    }

    /// How many readings were taken in all.
    public var readings: Int { sensors.reduce(0) { $0 + $1.readings } }
    /// How many readings are known to be missing in all.
    public var lost: Int { sensors.reduce(0) { $0 + $1.lost } }
}
