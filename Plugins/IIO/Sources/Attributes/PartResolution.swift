import Sensorium

/// What a device's attributes say about one part of it: scales, offsets, mount matrix.
package struct PartResolution: Hashable, Sendable {
    /// The unit of one count, a channel each, in the kernel's unit; 1 where there is no scale.
    package var scales: [Double]
    /// What is added to a count before scaling, a channel each.
    package var offsets: [Double]
    /// Whether every channel has a scale; if not, the readings are raw counts.
    package var isScaled: Bool
    /// How the chip sits in the machine.
    package var matrix: MountMatrix
    /// What people should know: attributes that were refused, and why.
    package var remarks: [String]

    /// The flags that every reading of the part carries.
    package var flags: ReadingFlags { isScaled ? [] : .unscaled }
}

/// Looks attributes up: at the channel first, then at the device, never at another channel, so that
/// an accelerometer is not scaled by a thermometer's scale.
package struct AttributeResolver: Sendable {
    /// The device.
    package let device: IIODevice
    /// The connection to read through.
    package let context: any IIOContext

    /// Makes a resolver.
    package init(_ device: IIODevice, through context: any IIOContext) {
        self.device = device
        self.context = context
    }

    /// Where the attribute of that name is; nil for nowhere.
    package func place(of name: String, channel: String) -> IIOAttribute? {
        if let channel = device.channel(channel), channel.attributes.contains(name) {
            return IIOAttribute(device: device.id, channel: channel.id, name: name)
        }
        return device.attributes.contains(name) ? IIOAttribute(device: device.id, name: name) : nil
    }

    /// The text of the attribute; nil where there is none.
    package func text(_ name: String, channel: String) async throws(IIOFault) -> String? {
        guard let place = place(of: name, channel: channel) else { return nil }
        return try await text(at: place)
    }

    /// Nothing about a part: what a sensor says of itself when the attributes cannot be read.
    package func unresolved(_ part: SensedPart) -> PartResolution {
        PartResolution(
            scales: part.channels.map { _ in 1 }, offsets: part.channels.map { _ in 0 },
            isScaled: false, matrix: .identity, remarks: [])
    }

    /// Everything about a part.
    ///
    /// - Parameter chosen: the user's mount matrix, which wins over the firmware's.
    package func resolve(
        _ part: SensedPart, chosen: String? = nil
    ) async throws(IIOFault) -> PartResolution {
        var resolution = PartResolution(
            scales: [], offsets: [], isScaled: true, matrix: .identity, remarks: [])
        for channel in part.channels {
            let scale = try await number("scale", channel: channel, &resolution)
            let offset = try await number("offset", channel: channel, &resolution)
            if scale == nil || scale == 0 { resolution.isScaled = false }
            resolution.scales.append(scale.flatMap { $0 == 0 ? nil : $0 } ?? 1)
            resolution.offsets.append(offset ?? 0)
        }
        if !resolution.isScaled {
            // Axes of different units would be worse than none.
            resolution.scales = part.channels.map { _ in 1 }
            if part.isProcessed { return resolution }
            resolution.remarks.append(
                "\(device.id) tells no scale for \(part.quantity.rawValue), so its readings are raw counts"
            )
        }
        if part.quantity.isVector {
            resolution.matrix = try await matrix(of: part, chosen: chosen, &resolution.remarks)
        }
        return resolution
    }

    private func number(
        _ name: String, channel: String, _ resolution: inout PartResolution
    ) async throws(IIOFault) -> Double? {
        guard let place = place(of: name, channel: channel), let text = try await text(at: place)
        else {
            return nil
        }
        let number = AttributeText.number(text)
        if number == nil {
            resolution.remarks.append(
                "\(place) is '\(AttributeText.trimmed(text))', which is not a number")
        }
        return number
    }

    private func text(at place: IIOAttribute) async throws(IIOFault) -> String? {
        do throws(IIOFault) {
            return try await context.read(place)
        } catch {
            // What a device does not have is unknown. What it has and does not tell is a fault: raw
            // counts must not pass for readings because a scale could not be read just now.
            switch error.condition {
            case .absent, .unsupported: return nil
            default: throw error
            }
        }
    }

    /// The first acceptable one of: the user's, udev's, the channel's, the device's.
    private func matrix(
        of part: SensedPart, chosen: String?, _ remarks: inout [String]
    ) async throws(IIOFault) -> MountMatrix {
        var candidates: [(origin: String, text: String)] = []
        if let chosen { candidates.append(("the configuration", chosen)) }
        let own = device.channel(part.channels[0])?.attributes.contains("mount_matrix") ?? false
        let isAccelerometersChip =
            part.quantity == .acceleration || (part.quantity == .angularVelocity && !own)
        if isAccelerometersChip, let text = device.properties["ACCEL_MOUNT_MATRIX"] {
            candidates.append(("udev's ACCEL_MOUNT_MATRIX", text))
        }
        if own, let text = try await text("mount_matrix", channel: part.channels[0]) {
            candidates.append(("in_\(part.quantity.rawValue)_mount_matrix", text))
        }
        // libiio takes in_mount_matrix for an attribute of a channel called mount.
        if let text = try await text("matrix", channel: "mount") {
            candidates.append(("in_mount_matrix", text))
        }
        for name in ["in_mount_matrix", "mount_matrix"] where device.attributes.contains(name) {
            if let text = try await text(at: IIOAttribute(device: device.id, name: name)) {
                candidates.append((name, text))
            }
        }
        for (origin, text) in candidates {
            do {
                return try MountMatrix(text)
            } catch {
                remarks.append(
                    "\(device.id)'s mount matrix '\(AttributeText.trimmed(text))' from \(origin) is refused: "
                        + error.reason)
            }
        }
        return .identity
    }
}
