/// What is known of a sensor before it is opened.
public struct SensorDescriptor: Sendable, Hashable {
    /// Its name on this machine.
    public var id: SensorID
    /// What it measures.
    public var kind: SensorKind
    /// A name for people.
    public var name: String
    /// Who made it; nil where unknown.
    public var vendor: String?
    /// The largest magnitude it can measure, in the unit of its kind; nil where unknown.
    public var range: Double?
    /// The smallest difference it can tell, in the unit of its kind; nil where unknown.
    public var resolution: Double?
    /// The rates it can run at.
    public var rates: SamplingRates
    /// Where in the machine it sits; the frame of its readings turns with it.
    public var placement: SensorPlacement
    /// What it stands on, for people: `gpsd at 127.0.0.1:2947`, `/dev/iio:device0`; nil for nothing.
    public var needs: String?
    /// Whether it makes its readings up.
    public var isSimulated: Bool
    /// Whether its plugin would choose it for an app that asks for any sensor of its kind.
    public var isPreferred: Bool

    /// Makes a descriptor.
    public init(
        id: SensorID, kind: SensorKind, name: String, vendor: String? = nil, range: Double? = nil,
        resolution: Double? = nil, rates: SamplingRates = .unknown,
        placement: SensorPlacement = .unknown, needs: String? = nil, isSimulated: Bool = false,
        isPreferred: Bool = false
    ) {
        self.id = id
        self.kind = kind
        self.name = name
        self.vendor = vendor
        self.range = range
        self.resolution = resolution
        self.rates = rates
        self.placement = placement
        self.needs = needs
        self.isSimulated = isSimulated
        self.isPreferred = isPreferred
    }
}

/// The rates in hertz that a sensor can run at.
public enum SamplingRates: Sendable, Hashable {
    /// The sensor does not say, or its source decides.
    case unknown
    /// Just these, ascending.
    case listed([Double])
    /// Anything between the two.
    case range(ClosedRange<Double>)
}

/// Where in a machine a sensor sits.
public enum SensorPlacement: UInt8, Sendable, Hashable, CaseIterable {
    /// Nobody says.
    case unknown = 0
    /// In the display (the lid of a laptop).
    case display = 1
    /// In the base (the keyboard of a laptop).
    case base = 2
    /// Outside the machine.
    case external = 3
}
