import IIOPlugin

/// An IIO device as a test describes it: what a kernel driver would show of it.
///
/// The same description serves `IIOLinkSpy`, which stands in for libiio, and `FakeIIOD`, which libiio
/// talks to.
public struct ScriptedDevice: Sendable {
    /// The kernel's name of it, `iio:device0`.
    public var id: String
    /// The driver's name of it; nil for a driver that gives none.
    public var name: String?
    /// The firmware's label; nil for none.
    public var label: String?
    /// The folder below /sys/devices that it is in; nil for a device of another machine.
    public var path: String?
    /// What udev's rules gave it.
    public var properties: [String: String]
    /// The attributes that belong to no channel, and their texts.
    public var attributes: [String: String]
    /// The channels.
    public var channels: [ScriptedChannel]
    /// The trigger that it has at first; nil for none.
    public var trigger: String?
    /// Where its scans come from.
    public var feed: Feed

    /// Where the scans of a device come from.
    public enum Feed: Sendable {
        /// From the test, scan by scan.
        case pushed
        /// From a function of the scan's number, at the device's sampling frequency.
        ///
        /// Channels that a scan leaves out are 0; a timestamp that it leaves out is the time.
        case signal(@Sendable (_ number: Int) -> RawScan)
        /// The device cannot capture: no trigger, no buffer.
        case none
    }

    /// Describes a device.
    public init(
        id: String = "iio:device0", name: String? = nil, label: String? = nil, path: String? = nil,
        properties: [String: String] = [:], attributes: [String: String] = [:],
        channels: [ScriptedChannel], trigger: String? = nil, feed: Feed = .pushed
    ) {
        self.id = id
        self.name = name
        self.label = label
        self.path = path
        self.properties = properties
        self.attributes = attributes
        self.channels = channels
        self.trigger = trigger
        self.feed = feed
    }
}

/// The raw numbers of one scan, by channel.
public typealias RawScan = [String: Int64]

/// A channel of a scripted device.
public struct ScriptedChannel: Sendable {
    /// Its name: `accel_x`, `timestamp`.
    public var id: String
    /// Its attributes, without the channel's part of the name, and their texts.
    public var attributes: [String: String]
    /// The scan index; nil for a channel that is in no scan.
    public var index: Int?
    /// The kernel's spelling of how it is stored: `le:s12/16>>4`.
    public var type: String

    /// Describes a channel that is in scans.
    public init(_ id: String, index: Int, type: String, attributes: [String: String] = [:]) {
        self.id = id
        self.index = index
        self.type = type
        self.attributes = attributes
    }

    /// Describes a channel that can only be read by attribute.
    public init(_ id: String, attributes: [String: String]) {
        self.id = id
        self.attributes = attributes
        type = ""
    }
}

extension ScriptedDevice {
    /// An accelerometer as many laptops have: 16 bits, one scale for all axes, a timestamp.
    ///
    /// - Parameters:
    ///   - raw: what each axis reads when it is polled.
    ///   - scale: m/s² a count.
    public static func accelerometer(
        id: String = "iio:device0", name: String = "kxcjk1013", label: String? = nil,
        path: String? = "i2c-1/1-000f", raw: (Int, Int, Int) = (0, 0, 1000), scale: String = "0.01",
        frequency: String = "100", available: String? = "25 50 100 200", feed: Feed = .pushed
    ) -> ScriptedDevice {
        let axes = zip(["x", "y", "z"], [raw.0, raw.1, raw.2]).enumerated()
        var attributes = ["sampling_frequency": frequency, "current_timestamp_clock": "realtime"]
        attributes["sampling_frequency_available"] = available
        return ScriptedDevice(
            id: id, name: name, label: label, path: path, attributes: attributes,
            channels: axes.map { index, axis in
                ScriptedChannel(
                    "accel_\(axis.0)", index: index, type: "le:s16/16>>0",
                    attributes: ["raw": "\(axis.1)", "scale": scale])
            } + [ScriptedChannel("timestamp", index: 3, type: "le:s64/64>>0")],
            trigger: "\(name)-dev\(id.drop { !$0.isNumber })", feed: feed)
    }

    /// An accelerometer, a thermometer and a gyroscope in one chip, as in the MPU-6050: big-endian
    /// numbers, the temperature in mid-scan, a little-endian timestamp.
    public static func imu(
        id: String = "iio:device0", name: String = "mpu6050", path: String? = "i2c-2/2-0068",
        frequency: String = "50", feed: Feed = .pushed
    ) -> ScriptedDevice {
        func axis(_ kind: String, _ letter: String, _ index: Int, _ scale: String)
            -> ScriptedChannel
        {
            ScriptedChannel(
                "\(kind)_\(letter)", index: index, type: "be:s16/16>>0",
                attributes: ["raw": "0", "scale": scale])
        }
        let letters = ["x", "y", "z"].enumerated()
        return ScriptedDevice(
            id: id, name: name, path: path,
            attributes: [
                "sampling_frequency": frequency,
                "sampling_frequency_available": "10 20 50 100 200 500",
                "current_timestamp_clock": "realtime",
            ],
            channels: letters.map { axis("accel", $1, $0, "0.000598") } + [
                ScriptedChannel(
                    "temp", index: 3, type: "be:s16/16>>0",
                    attributes: ["raw": "0", "scale": "2.941176", "offset": "12420"])
            ] + letters.map { axis("anglvel", $1, 4 + $0, "0.001064724") } + [
                ScriptedChannel("timestamp", index: 7, type: "le:s64/64>>0")
            ], trigger: "\(name)-dev\(id.drop { !$0.isNumber })", feed: feed)
    }

    /// The frequency that the device has now, of its own or of its first channel that has one.
    var frequency: Double? {
        let text =
            attributes["sampling_frequency"]
            ?? channels.compactMap { $0.attributes["sampling_frequency"] }.first
        return text.flatMap { Double($0) }
    }

    /// The channels in the order that libiio gives them: those in scans by index, then the others.
    var orderedChannels: [ScriptedChannel] {
        channels.filter { $0.index != nil }.sorted { ($0.index ?? 0) < ($1.index ?? 0) }
            + channels.filter { $0.index == nil }
    }

    /// The device as a link describes it.
    var asDevice: IIODevice {
        IIODevice(
            id: id, name: name, label: label, attributes: Set(attributes.keys),
            channels: orderedChannels.map { channel in
                var scan: IIOChannel.Scan?
                if let index = channel.index, let type = ScanType(channel.type) {
                    scan = IIOChannel.Scan(index: index, type: type)
                }
                return IIOChannel(
                    id: channel.id, attributes: Set(channel.attributes.keys), scan: scan)
            }, path: path, properties: properties)
    }
}
