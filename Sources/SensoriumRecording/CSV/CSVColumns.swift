import Sensorium

/// The columns of this package's own tables.
enum CSVColumns {
    /// What every row begins with: UTC for people, the time on the recording's clock, whose it is.
    static let first = ["utc", "time_ns", "sensor", "kind"]
    /// What every row ends with: the reading's own time, and its flags.
    static let last = [
        "measured_ns", "original_ns", "original_clock", "uncertainty_s", "time_source", "flags",
    ]

    /// The columns for the values of readings of these kinds, each once.
    static func values(of kinds: some Sequence<SensorKind>) -> [String] {
        var names = Names()
        for kind in kinds.sorted(by: { $0.rawValue < $1.rawValue }) { visit(kind, &names) }
        return names.list
    }

    private static func visit(_ kind: SensorKind, _ names: inout Names) {
        func visit<Reading: FieldedReading>(_: Reading.Type) {
            guard var blank = Reading.blank else { return }
            blank.visit(&names)
        }
        switch kind {
        case .location: visit(LocationFix.self)
        case .satellites:
            var row = SatelliteRow()
            row.visit(&names)
        case .heading: visit(Heading.self)
        case .attitude: visit(Attitude.self)
        case .acceleration: visit(Acceleration.self)
        case .angularVelocity: visit(AngularVelocity.self)
        case .magneticField: visit(MagneticField.self)
        case .pressure: visit(Pressure.self)
        case .temperature: visit(Temperature.self)
        case .humidity: visit(Humidity.self)
        case .illuminance: visit(Illuminance.self)
        case .proximity: visit(Proximity.self)
        case .camera: break
        case .touch: visit(TouchEvent.self)
        case .key: visit(KeyEvent.self)
        }
    }

    private struct Names: FieldVisitor {
        var list: [String] = []
        private var known: Set<String> = []
        var fills: Bool { false }

        mutating func write(_ name: String, _ text: String?) {
            if known.insert(name).inserted { list.append(name) }
        }

        mutating func read(_ name: String) -> String? { nil }
        mutating func refuse(_ name: String) {}
    }
}

extension ReadingTime {
    /// Goes over the reading's own time, in the order of `CSVColumns.last`.
    mutating func visit(_ visitor: inout some FieldVisitor) {
        var instant: Int64? = self.instant.nanoseconds
        var original = self.original?.nanoseconds
        var domain = self.original?.domain
        var uncertainty = rawUncertainty.isNaN ? nil : rawUncertainty
        var source: Source? = self.source
        visitor.field("measured_ns", &instant)
        visitor.field("original_ns", &original)
        visitor.field("original_clock", &domain)
        visitor.field("uncertainty_s", &uncertainty)
        visitor.field("time_source", &source)
        guard visitor.fills else { return }
        self = ReadingTime(
            instant: SensorInstant(nanoseconds: instant ?? 0), originalNanoseconds: original ?? 0,
            originalDomain: domain ?? .realtime, knownOriginal: original != nil && domain != nil,
            uncertaintySeconds: uncertainty ?? .nan, source: source ?? .device)
    }
}
