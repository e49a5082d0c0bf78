/// The satellites that a receiver sees, at one time.
public struct Satellites: SensorReading, Hashable {
    /// `.satellites`.
    public static var kind: SensorKind { .satellites }

    /// When the list was made.
    public var time: ReadingTime
    /// What a consumer must know before it trusts the values.
    public var flags: ReadingFlags
    /// The satellites in view, in the receiver's order.
    public var inView: [Satellite]
    /// Dilutions of precision, where the receiver gave them.
    public var dilution: Dilution

    /// Makes a reading.
    public init(
        time: ReadingTime, inView: [Satellite], dilution: Dilution = Dilution(),
        flags: ReadingFlags = []
    ) {
        self.time = time
        self.flags = flags
        self.inView = inView
        self.dilution = dilution
    }

    /// How many satellites the solution uses.
    public var usedCount: Int { inView.reduce(0) { $0 + ($1.isUsed ? 1 : 0) } }

    /// How the geometry of the satellites multiplies the error of a distance; no unit.
    ///
    /// These are not metres and are never turned into metres.
    public struct Dilution: Sendable, Hashable {
        /// Horizontal.
        public var horizontal: Double?
        /// Vertical.
        public var vertical: Double?
        /// Of position.
        public var position: Double?
        /// Of time.
        public var time: Double?
        /// Geometric: of position and time.
        public var geometric: Double?

        /// Makes dilutions; nil is unknown.
        public init(
            horizontal: Double? = nil, vertical: Double? = nil, position: Double? = nil,
            time: Double? = nil, geometric: Double? = nil
        ) {
            self.horizontal = horizontal
            self.vertical = vertical
            self.position = position
            self.time = time
            self.geometric = geometric
        }
    }
}

/// One navigation satellite, as a receiver sees it.
public struct Satellite: Sendable, Hashable {
    /// The constellation; nil where the receiver does not say.
    public var system: System?
    /// The satellite's number within its constellation (the PRN for GPS), or the receiver's own
    /// number where it names no constellation.
    public var number: Int
    /// Degrees above the horizon, -90 to 90.
    public var elevation: Double?
    /// Degrees clockwise from true north, 0 to 360.
    public var azimuth: Double?
    /// Carrier-to-noise density in dB-Hz.
    public var signal: Double?
    /// Whether the solution uses it.
    public var isUsed: Bool
    /// Whether the satellite says that it works; nil where unknown.
    public var isHealthy: Bool?

    /// Makes a satellite; nil is unknown.
    public init(
        system: System? = nil, number: Int, elevation: Double? = nil, azimuth: Double? = nil,
        signal: Double? = nil, isUsed: Bool, isHealthy: Bool? = nil
    ) {
        self.system = system
        self.number = number
        self.elevation = elevation
        self.azimuth = azimuth
        self.signal = signal
        self.isUsed = isUsed
        self.isHealthy = isHealthy
    }

    /// A satellite constellation.
    ///
    /// Source of the numbers: u-blox `gnssId`, which gpsd uses.
    public enum System: UInt8, Sendable, Hashable, CaseIterable {
        /// United States.
        case gps = 0
        /// Augmentation (WAAS, EGNOS, ...).
        case sbas = 1
        /// European Union.
        case galileo = 2
        /// China.
        case beiDou = 3
        /// Imes, Japan, indoors.
        case imes = 4
        /// Japan.
        case qzss = 5
        /// Russia.
        case glonass = 6
        /// India.
        case navIC = 7
    }
}
