import Sensorium

/// How the sensors of a recording become channels of an MCAP file, and channels sensors again.
///
/// A sensor has one channel for its readings, of a schema that other programs know where there is one
/// (a camera has two: raw and compressed pictures). Where that schema has no place for all fields, another
/// channel has them, `details`. And there is one for events: statuses, losses, and what is left.
package enum EventEncoding {
    /// What a channel is for.
    enum Role: String {
        case readings, compressed, details, events
    }

    /// How the messages of a channel are to be understood.
    enum Form {
        /// One vector; all of the reading, if nothing follows.
        case vector
        /// A fix as other programs see it; all of it follows.
        case fix
        /// The bytes of a picture; what it is follows.
        case image, compressedImage
        /// All fields of a reading, as numbers.
        case numbers
        /// Anything, as JSON.
        case event
    }

    /// Turns events of `sensor` into messages.
    package static func encoder(for sensor: RecordedSensor) -> any EventEncoder {
        SensorEncoder(sensor)
    }

    /// What turns the messages of these channels into events: a decoder for each sensor, with its
    /// channels in the decoder's order.
    ///
    /// Channels of other programs have one where their schema is known (`ForeignSchema`).
    package static func decoders(
        for channels: [(id: UInt16, channel: MessageChannel)]
    ) -> [(decoder: any EventDecoder, channels: [UInt16])] {
        var groups:
            [(sensor: RecordedSensor, forms: [(role: Role, form: Form)], channels: [UInt16])] = []
        var places: [SensorID: Int] = [:]
        for (id, channel) in channels {
            guard let sensor = RecordedSensor(channel.metadata),
                let role = channel.metadata["sensorium.role"].flatMap(Role.init),
                let form = form(of: channel, role, sensor.kind)
            else { continue }
            if let place = places[sensor.id] {
                guard groups[place].sensor == sensor,
                    !groups[place].forms.contains(where: { $0.role == role })
                else { continue }
                groups[place].forms.append((role, form))
                groups[place].channels.append(id)
            } else {
                places[sensor.id] = groups.count
                groups.append((sensor, [(role, form)], [id]))
            }
        }
        return groups.map { group in
            (SensorDecoder(group.sensor, group.forms), group.channels)
        } + foreignDecoders(for: channels, Set(places.keys))
    }

    /// Decoders of channels that say of no sensor of ours; `known` are ids that are taken.
    private static func foreignDecoders(
        for channels: [(id: UInt16, channel: MessageChannel)], _ known: Set<SensorID>
    ) -> [(decoder: any EventDecoder, channels: [UInt16])] {
        var known = known
        var decoders: [(decoder: any EventDecoder, channels: [UInt16])] = []
        for (id, channel) in channels where channel.metadata["sensorium.role"] == nil {
            guard let schema = ForeignSchema(channel) else { continue }
            var sensors = schema.sensors(of: channel.topic, suffix: "")
            // Another publisher of the same topic.
            if sensors.contains(where: { known.contains($0.id) }) {
                sensors = schema.sensors(of: channel.topic, suffix: "#\(id)")
            }
            guard !sensors.contains(where: { known.contains($0.id) }) else { continue }
            known.formUnion(sensors.map(\.id))
            decoders.append((ForeignDecoder(schema, sensors), [id]))
        }
        return decoders
    }

    /// The channels of a sensor, with what they are for.
    static func channels(of sensor: RecordedSensor) -> [(role: Role, channel: MessageChannel)] {
        var roles: [Role] = [.readings]
        if sensor.kind == .camera { roles.append(.compressed) }
        if hasDetails(sensor.kind) { roles.append(.details) }
        roles.append(.events)
        return roles.map { role in
            var metadata = sensor.table
            metadata["sensorium.role"] = role.rawValue
            let ending = role == .readings ? "" : "/\(role.rawValue)"
            return (
                role,
                MessageChannel(
                    topic: "/\(sensor.id)\(ending)", encoding: encoding(of: role, sensor.kind),
                    schema: schema(of: role, sensor.kind), metadata: metadata)
            )
        }
    }

    /// Whether others have a schema for these readings, which lacks some of their fields.
    private static func hasDetails(_ kind: SensorKind) -> Bool {
        switch kind {
        case .location, .acceleration, .angularVelocity, .magneticField: true
        default: false
        }
    }

    /// Whether readings are written as numbers, there being no schema that others know.
    ///
    /// Touches and keys are few, and are to be read by people.
    private static func isOfNumbers(_ kind: SensorKind) -> Bool {
        switch kind {
        case .heading, .attitude, .pressure, .temperature, .humidity, .illuminance, .proximity: true
        default: false
        }
    }

    /// How the messages of a channel that says to be of us are understood; nil where they are not.
    ///
    /// Files of earlier versions have JSON where there are numbers now.
    private static func form(
        of channel: MessageChannel, _ role: Role, _ kind: SensorKind
    ) -> Form? {
        switch (role, channel.encoding) {
        case (.events, "json"): .event
        case (.details, "cdr"), (.readings, "cdr"):
            if role == .readings, hasDetails(kind) {
                kind == .location ? nil : .vector
            } else {
                ReadingMessage.fits(channel.schema, kind) ? .numbers : nil
            }
        case (.readings, "protobuf"):
            kind == .location ? .fix : kind == .camera ? .image : nil
        case (.compressed, "protobuf"): kind == .camera ? .compressedImage : nil
        case (.readings, "json"): hasDetails(kind) || kind == .camera ? nil : .event
        default: nil
        }
    }

    private static func encoding(of role: Role, _ kind: SensorKind) -> String {
        switch (role, kind) {
        case (.events, _): "json"
        case (.details, _): "cdr"
        case (_, .location), (_, .camera): "protobuf"
        default: hasDetails(kind) || isOfNumbers(kind) ? "cdr" : "json"
        }
    }

    private static func schema(of role: Role, _ kind: SensorKind) -> MessageSchema? {
        switch (role, kind) {
        case (.events, _): EventSchemas.event
        case (.details, _): ReadingMessage.schema(kind)
        case (_, .location): ProtobufSchemas.locationFix
        case (.compressed, _): ProtobufSchemas.compressedImage
        case (_, .camera): ProtobufSchemas.rawImage
        case (_, .acceleration), (_, .angularVelocity): ROSSchemas.imu
        case (_, .magneticField): ROSSchemas.magneticField
        default:
            isOfNumbers(kind) ? ReadingMessage.schema(kind) : EventSchemas.reading(kind)
        }
    }
}

/// What a sensor was, in the metadata of its channels.
extension RecordedSensor {
    /// Itself as texts; what is unknown is left out.
    var table: [String: String] {
        var table = [
            "sensor": id.rawValue, "kind": kind.name, "name": descriptor.name,
            "placement": "\(descriptor.placement)",
        ]
        table["vendor"] = descriptor.vendor
        table["range"] = descriptor.range.map { "\($0)" }
        table["resolution"] = descriptor.resolution.map { "\($0)" }
        table["needs"] = descriptor.needs
        table["requested_rate"] = requestedRate.map { "\($0)" }
        if descriptor.isSimulated { table["simulated"] = "true" }
        if descriptor.isPreferred { table["preferred"] = "true" }
        switch descriptor.rates {
        case .unknown: break
        case .listed(let rates):
            table["rates"] = rates.map { "\($0)" }.joined(separator: " ")
        case .range(let range): table["rate_range"] = "\(range.lowerBound) \(range.upperBound)"
        }
        return table
    }

    /// The sensor that such texts are of; nil where they are of none.
    init?(_ table: [String: String]) {
        guard let id = table["sensor"], table["sensorium.role"] != nil,
            let kind = SensorKind.allCases.first(where: { $0.name == table["kind"] })
        else { return nil }
        func numbers(_ name: String) -> [Double]? {
            table[name].map { $0.split(separator: " ").compactMap { Double($0) } }
        }
        var rates = SamplingRates.unknown
        if let listed = numbers("rates") { rates = .listed(listed) }
        if let ends = numbers("rate_range"), ends.count == 2, ends[0] <= ends[1] {
            rates = .range(ends[0]...ends[1])
        }
        let descriptor = SensorDescriptor(
            id: SensorID(id), kind: kind, name: table["name"] ?? id, vendor: table["vendor"],
            range: table["range"].flatMap { Double($0) },
            resolution: table["resolution"].flatMap { Double($0) }, rates: rates,
            placement: SensorPlacement.allCases.first { "\($0)" == table["placement"] } ?? .unknown,
            needs: table["needs"], isSimulated: table["simulated"] == "true",
            isPreferred: table["preferred"] == "true")
        self.init(descriptor, requestedRate: table["requested_rate"].flatMap { Double($0) })
    }
}
