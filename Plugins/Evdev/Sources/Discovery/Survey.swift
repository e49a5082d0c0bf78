import Sensorium

/// What a look at all devices finds; none is opened for it.
struct Survey: Sendable {
    /// The sensors, in the order of their nodes, touch before keys.
    private(set) var sensors: [any Sensor] = []

    /// Looks at every device.
    init(_ desk: SessionDesk) {
        let entries = InputInventory(desk.link.nodes()).entries
        let keys = EvdevSettings.keyChoice(desk.host)
        let told = entries.filter { $0.node.keys.contains { keys.includes($0) } }
        let screen = entries.first { $0.node.surface == .screen && desk.link.mayOpen($0.node.path) }
        let readable = told.filter { desk.link.mayOpen($0.node.path) }
        // Rather a remote control than a keyboard, which has such keys, too.
        let remote = readable.first { !$0.node.isKeyboard } ?? readable.first
        for entry in entries {
            if entry.node.surface != nil {
                sensors.append(
                    desk.touchSensor(Self.descriptor(of: .touch, entry, entry == screen), entry))
            }
            if told.contains(entry) {
                sensors.append(
                    desk.keySensor(Self.descriptor(of: .key, entry, entry == remote), entry))
            }
        }
    }

    private static func descriptor(
        of kind: SensorKind, _ entry: InputInventory.Entry, _ isPreferred: Bool
    ) -> SensorDescriptor {
        let (node, properties) = (entry.node, entry.node.properties)
        return SensorDescriptor(
            id: SensorID("evdev/\(entry.token)/\(kind.name)"), kind: kind, name: node.name,
            vendor: properties["ID_VENDOR_FROM_DATABASE"] ?? properties["ID_VENDOR"],
            placement: kind == .touch && node.surface == .screen ? .display : .unknown,
            needs: node.path, isPreferred: isPreferred)
    }
}

extension SessionDesk {
    /// Makes the sensor of a device's touches.
    func touchSensor(
        _ descriptor: SensorDescriptor, _ entry: InputInventory.Entry
    ) -> EvdevSensor<TouchEvent> {
        let (settings, host) = (EvdevSettings(host, for: entry.token), host)
        return EvdevSensor(descriptor: descriptor, token: entry.token, desk: self) { sink in
            InputReader(
                descriptor.id, token: entry.token, link: self.link, host: host, sink
            ) { (device, node, last: TouchDecoder?) throws(EvdevFault) in
                let matrix = try settings.matrix(of: node) { text in
                    host.log(.warning, "\(descriptor.id): \(text)")
                }
                return TouchDecoder(
                    try TouchLayout(device), matrix, after: last?.lastTouch ?? 0)
            }
        }
    }

    /// Makes the sensor of a device's keys.
    func keySensor(
        _ descriptor: SensorDescriptor, _ entry: InputInventory.Entry
    ) -> EvdevSensor<KeyEvent> {
        let choice = EvdevSettings.keyChoice(host)
        return EvdevSensor(descriptor: descriptor, token: entry.token, desk: self) { sink in
            InputReader(
                descriptor.id, token: entry.token, link: self.link, host: self.host, sink
            ) { (_, _, _: KeyDecoder?) throws(EvdevFault) in KeyDecoder(choice) }
        }
    }
}
