import Sensorium

/// `sensorium list`: the sensors that are there.
enum ListCommand {
    static let command = Command(
        name: "list",
        summary: "Lists the sensors of this machine.",
        discussion: [
            "One line per sensor, the best of a kind first: its id, which other commands take, its "
                + "kind, and what is known of it. Nothing is opened.",
            "A JSON line has 'sensor', 'kind', 'name', and where known 'vendor', 'range' and "
                + "'resolution' (in the unit of the kind), 'rates' (an array, or an object with 'min' "
                + "and 'max'), 'placement', 'needs' and 'authorization'; 'simulated' and 'preferred' "
                + "only when true.",
        ],
        options: [StreamOptions.json.spec],
        examples: [
            .init("sensorium list", "A table."),
            .init("sensorium list --json | jq -r .sensor", "Just the ids."),
        ]
    ) { invocation, surroundings throws(CommandFailure) in
        try await invocation.withSensors(surroundings) { sensors throws(CommandFailure) in
            let all = sensors.registry.descriptors
            if invocation[StreamOptions.json] {
                for sensor in all {
                    let right = sensors.registry.sensor(sensor.id)?.authorization ?? .authorized
                    await surroundings.output.write(json(sensor, right))
                }
            } else {
                for line in table(all) { await surroundings.output.write(line + "\n") }
            }
            if all.isEmpty {
                surroundings.notices.post("there is no sensor: \(sensors.pluginsInWords)")
            }
            return .success
        }
    }

    /// The sensors in columns.
    static func table(_ sensors: [SensorDescriptor]) -> [String] {
        let rows = sensors.map { sensor in
            [sensor.id.rawValue.printable, sensor.kind.name, sensor.rates.words, about(sensor)]
        }
        return TextTable.lines(["SENSOR", "KIND", "RATE", "ABOUT"], rows)
    }

    private static func about(_ sensor: SensorDescriptor) -> String {
        var words = [sensor.name]
        if let vendor = sensor.vendor { words.append("by \(vendor)") }
        if let needs = sensor.needs { words.append("over \(needs)") }
        if sensor.placement != .unknown { words.append(sensor.placement.words) }
        if sensor.isSimulated { words.append("simulated") }
        if sensor.isPreferred { words.append("preferred") }
        return words.joined(separator: ", ").printable
    }

    private static func json(
        _ sensor: SensorDescriptor, _ authorization: AuthorizationStatus
    ) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("sensor", sensor.id.rawValue)
            json.member("kind", sensor.kind.name)
            if sensor.isSimulated { json.member("simulated", true) }
            if sensor.isPreferred { json.member("preferred", true) }
            json.member("name", sensor.name)
            json.member("vendor", sensor.vendor)
            json.member("range", sensor.range)
            json.member("resolution", sensor.resolution)
            switch sensor.rates {
            case .unknown: break
            case .listed(let rates): json.member("rates", array: rates) { $0.element($1) }
            case .range(let range):
                json.member("rates") { rates in
                    rates.member("min", range.lowerBound)
                    rates.member("max", range.upperBound)
                }
            }
            if sensor.placement != .unknown { json.member("placement", "\(sensor.placement)") }
            json.member("needs", sensor.needs)
            json.member("authorization", "\(authorization)")
        }
        json.newLine()
        return json.bytes
    }
}

extension SamplingRates {
    /// `1 to 100 Hz`; `-` where unknown.
    var words: String {
        switch self {
        case .unknown: return "-"
        case .range(let range):
            return "\(Self.short(range.lowerBound)) to \(Self.short(range.upperBound)) Hz"
        case .listed(let rates):
            guard let first = rates.first, let last = rates.last else { return "-" }
            if rates.count == 1 { return "\(Self.short(first)) Hz" }
            if rates.count <= 4 {
                return rates.map(Self.short).joined(separator: ", ") + " Hz"
            }
            return "\(Self.short(first)) to \(Self.short(last)) Hz (\(rates.count) steps)"
        }
    }

    private static func short(_ rate: Double) -> String {
        var text = rate.fixed(3)
        while text.contains("."), text.hasSuffix("0") || text.hasSuffix(".") { text.removeLast() }
        return text
    }
}

extension SensorPlacement {
    /// `in the display`.
    fileprivate var words: String {
        switch self {
        case .unknown: "somewhere"
        case .display: "in the display"
        case .base: "in the base"
        case .external: "outside the machine"
        }
    }
}
