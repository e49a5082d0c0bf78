import Sensorium

/// Sets a device's sampling frequency, and tells what it then is.
///
/// The attribute is the channel's, the device's or the trigger's, in this order. The lowest available
/// rate that is at least the wanted one is written and read back: what the driver then says counts,
/// whether or not it is in its own list.
package struct RateChoice: Sendable {
    private let resolver: AttributeResolver
    private let trigger: IIODevice?

    /// Makes a choice for a device, whose trigger may hold the rate.
    package init(_ resolver: AttributeResolver, trigger: IIODevice? = nil) {
        self.resolver = resolver
        self.trigger = trigger
    }

    /// The rates that the part can run at.
    package func available(_ part: SensedPart) async throws(IIOFault) -> AvailableValues? {
        let name = "sampling_frequency_available"
        guard let place = resolver.place(of: name, channel: part.channels[0]) else { return nil }
        return try await text(at: place).flatMap { AvailableValues($0) }
    }

    /// Asks for `wanted` hertz.
    ///
    /// - Parameters:
    ///   - wanted: nil to leave the rate as it is, unless that is 0.
    ///   - fallback: what to ask for when the rate is 0, at which a device measures nothing.
    /// - Returns: the rate that the device then runs at; nil where nothing tells.
    package func settle(
        _ wanted: Double?, for part: SensedPart, fallback: Double, remarks: inout [String]
    ) async throws(IIOFault) -> Double? {
        guard let place = place(for: part) else { return nil }
        let present = try await read(place)
        let target: Double
        if let wanted {
            target = wanted
        } else if present == 0 {
            target = fallback
        } else {
            return present
        }
        let offers = try await available(part)
        let offer =
            offers?.lowest(atLeast: target)
            ?? AvailableValues.Offer(value: target, text: AttributeText.text(target))
        if let present, present > 0, abs(present - offer.value) <= 0.001 * offer.value {
            return present
        }
        do throws(IIOFault) {
            try await resolver.context.write(offer.text, to: place)
        } catch {
            if error.isOfConnection { throw error }
            let present = present.map(AttributeText.text) ?? "unknown"
            remarks.append("\(place) stays \(present): \(error.reason)")
        }
        return try await read(place)
    }

    private func place(for part: SensedPart) -> IIOAttribute? {
        let name = "sampling_frequency"
        if let place = resolver.place(of: name, channel: part.channels[0]) { return place }
        guard let trigger, trigger.attributes.contains(name) else { return nil }
        return IIOAttribute(device: trigger.id, name: name)
    }

    private func read(_ place: IIOAttribute) async throws(IIOFault) -> Double? {
        try await text(at: place).flatMap { AttributeText.number($0) }
    }

    /// A rate that cannot be read is unknown: the device may be read all the same.
    private func text(at place: IIOAttribute) async throws(IIOFault) -> String? {
        do throws(IIOFault) {
            return try await resolver.context.read(place)
        } catch {
            if error.isOfConnection { throw error }
            return nil
        }
    }
}
