import Sensorium

/// A quantity that IIO measures and Sensorium has a reading for.
///
/// Units: the kernel's Documentation/ABI/testing/sysfs-bus-iio states the unit of each channel type
/// after scale and offset; `unitFactor` takes it to the reading's.
package enum SensedQuantity: String, CaseIterable, Sendable {
    /// m/s².
    case acceleration = "accel"
    /// rad/s.
    case angularVelocity = "anglvel"
    /// Gauss; tesla here.
    case magneticField = "magn"
    /// Kilopascal; pascal here.
    case pressure
    /// Thousandths of a degree Celsius; degrees here.
    case temperature = "temp"
    /// Thousandths of a percent; a fraction here.
    case humidity = "humidityrelative"
    /// Lux.
    case illuminance
    /// Metres.
    case proximity

    /// The kind of sensor that it makes.
    package var kind: SensorKind {
        switch self {
        case .acceleration: .acceleration
        case .angularVelocity: .angularVelocity
        case .magneticField: .magneticField
        case .pressure: .pressure
        case .temperature: .temperature
        case .humidity: .humidity
        case .illuminance: .illuminance
        case .proximity: .proximity
        }
    }

    /// What one of the kernel's units is in the reading's.
    package var unitFactor: Double {
        switch self {
        case .acceleration, .angularVelocity, .illuminance, .proximity: 1
        case .magneticField: 1e-4
        case .pressure: 1000
        case .temperature: 1e-3
        case .humidity: 1e-5
        }
    }

    /// Whether it has three axes.
    package var isVector: Bool {
        switch self {
        case .acceleration, .angularVelocity, .magneticField: true
        default: false
        }
    }
}

/// What one sensor takes from a device: a quantity, and the channels that hold it.
package struct SensedPart: Hashable, Sendable {
    /// The quantity.
    package var quantity: SensedQuantity
    /// The channels' ids: x, y and z of a vector, else one.
    package var channels: [String]
    /// What tells it from others of its quantity in the device: `0` of `temp0`, `lid`; nil for one.
    package var variant: String?
    /// The attribute that holds the number to poll: `raw`, `input` or `lid_raw`; nil where a buffer
    /// is the only way.
    package var polled: String?

    /// Whether the polled number needs neither scale nor offset.
    package var isProcessed: Bool { polled == "input" }

    /// Makes a part.
    package init(
        _ quantity: SensedQuantity, channels: [String], variant: String? = nil, polled: String?
    ) {
        self.quantity = quantity
        self.channels = channels
        self.variant = variant
        self.polled = polled
    }
}

extension IIODevice {
    /// The sensors in this device, in the order of their quantities.
    package var parts: [SensedPart] {
        SensedQuantity.allCases.flatMap { $0.isVector ? vectorParts($0) : scalarParts($0) }
    }

    /// Whether all channels of the part can be in a scan.
    package func isScannable(_ part: SensedPart) -> Bool {
        part.channels.allSatisfy { channel($0)?.scan != nil }
    }

    private func vectorParts(_ quantity: SensedQuantity) -> [SensedPart] {
        let names = ["x", "y", "z"].map { "\(quantity.rawValue)_\($0)" }
        let axes = names.compactMap { channel($0) }
        // A device of one or two axes has no vector to give.
        guard axes.count == 3 else { return [] }
        let shared = axes.reduce(axes[0].attributes) { $0.intersection($1.attributes) }
        if let polled = ["raw", "input"].first(where: shared.contains) {
            return [SensedPart(quantity, channels: names, polled: polled)]
        }
        // The old driver of Chromebooks puts two accelerometers into one device.
        let places = ["lid", "base"].filter { shared.contains("\($0)_raw") }
        if !places.isEmpty {
            return places.map {
                SensedPart(quantity, channels: names, variant: $0, polled: "\($0)_raw")
            }
        }
        guard axes.allSatisfy({ $0.scan != nil }) else { return [] }
        return [SensedPart(quantity, channels: names, polled: nil)]
    }

    private func scalarParts(_ quantity: SensedQuantity) -> [SensedPart] {
        channels.compactMap { channel in
            guard !channel.isOutput, let variant = Self.variant(of: channel.id, as: quantity) else {
                return nil
            }
            // `input` is in the kernel's unit already; `raw` may lack its scale.
            let polled =
                channel.attributes.contains("input")
                ? "input" : channel.attributes.contains("raw") ? "raw" : nil
            guard polled != nil || channel.scan != nil else { return nil }
            return SensedPart(
                quantity, channels: [channel.id], variant: variant.isEmpty ? nil : variant,
                polled: polled)
        }
        .sorted { $0.channels[0] < $1.channels[0] }
    }

    /// Nil for another quantity's channel, empty for `temp`, `0` for `temp0`, `ambient` for
    /// `temp_ambient`.
    private static func variant(of id: String, as quantity: SensedQuantity) -> String? {
        guard id.hasPrefix(quantity.rawValue) else { return nil }
        let rest = id.dropFirst(quantity.rawValue.count)
        if rest.isEmpty { return "" }
        if rest.allSatisfy(\.isNumber) { return String(rest) }
        // The temperature of a distant object is not that of the air.
        if rest == "_ambient" { return "ambient" }
        return nil
    }
}
