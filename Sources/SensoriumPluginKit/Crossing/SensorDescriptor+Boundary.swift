import CSensorium
import Sensorium

/// Why a description of a sensor is left out of what a plugin found.
enum DescriptorFault: Error, Equatable, CustomStringConvertible {
    case missing
    case id(String, plugin: String)
    case kind(UInt32, id: String)

    var description: String {
        switch self {
        case .missing:
            "a sensor without a description was left out"
        case .id(let id, let plugin):
            "a sensor with the id \"\(id)\" was left out: ids begin with \"\(plugin)/\""
        case .kind(let kind, let id):
            "\(id) was left out: this host does not know sensors of kind \(kind)"
        }
    }
}

extension SensorDescriptor {
    /// More rates than any device lists; the rest is not looked at.
    private static var rateLimit: UInt32 { 4096 }

    /// Copies a description that a plugin lends.
    init(
        _ descriptor: UnsafePointer<sensorium_descriptor>?, plugin: String
    ) throws(DescriptorFault) {
        guard let form = descriptor?.pointee,
            form.size >= UInt32(MemoryLayout<sensorium_descriptor>.size)
        else { throw .missing }
        let id = LentText.copy(form.id) ?? ""
        guard id.hasPrefix(plugin + "/"), id.utf8.count > plugin.utf8.count + 1 else {
            throw .id(id, plugin: plugin)
        }
        guard let kind = SensorKind(rawValue: form.kind) else { throw .kind(form.kind, id: id) }
        self.init(
            id: SensorID(id), kind: kind, name: LentText.copyUnlessEmpty(form.name) ?? id,
            vendor: LentText.copyUnlessEmpty(form.vendor),
            range: LentNumber.value(form.range, if: form.valid.has(SENSORIUM_DESCRIPTOR_RANGE)),
            resolution: LentNumber.value(
                form.resolution, if: form.valid.has(SENSORIUM_DESCRIPTOR_RESOLUTION)),
            rates: Self.rates(form),
            placement: UInt8(exactly: form.placement).flatMap { SensorPlacement(rawValue: $0) }
                ?? .unknown,
            needs: LentText.copyUnlessEmpty(form.needs),
            isSimulated: form.valid.has(SENSORIUM_DESCRIPTOR_SIMULATED),
            isPreferred: form.valid.has(SENSORIUM_DESCRIPTOR_PREFERRED))
    }

    private static func rates(_ form: sensorium_descriptor) -> SamplingRates {
        if let rates = form.rates, form.rate_count > 0 {
            let count = Int(min(form.rate_count, rateLimit))
            let known = UnsafeBufferPointer(start: rates, count: count)
                .compactMap { LentNumber.rate($0) }
            return known.isEmpty ? .unknown : .listed(known.sorted())
        }
        guard form.valid.has(SENSORIUM_DESCRIPTOR_RATE_RANGE),
            let low = LentNumber.rate(form.min_rate), let high = LentNumber.rate(form.max_rate),
            low <= high
        else { return .unknown }
        return .range(low...high)
    }

    /// Lends the description to a host.
    func withBoundaryForm(_ body: (UnsafePointer<sensorium_descriptor>) -> Void) {
        var form = sensorium_descriptor()
        var valid = ValidMask()
        form.size = UInt32(MemoryLayout<sensorium_descriptor>.size)
        form.kind = kind.rawValue
        form.placement = UInt32(placement.rawValue)
        form.range = valid.mark(range, SENSORIUM_DESCRIPTOR_RANGE)
        form.resolution = valid.mark(resolution, SENSORIUM_DESCRIPTOR_RESOLUTION)
        if isSimulated { _ = valid.mark(1, SENSORIUM_DESCRIPTOR_SIMULATED) }
        if isPreferred { _ = valid.mark(1, SENSORIUM_DESCRIPTOR_PREFERRED) }
        var listed: [Double] = []
        switch rates {
        case .unknown: break
        case .listed(let rates): listed = Array(rates.prefix(Int(Self.rateLimit)))
        case .range(let range):
            form.min_rate = valid.mark(range.lowerBound, SENSORIUM_DESCRIPTOR_RATE_RANGE)
            form.max_rate = range.upperBound
        }
        form.valid = valid.bits
        form.rate_count = UInt32(listed.count)
        listed.withUnsafeBufferPointer { rates in
            form.rates = rates.baseAddress
            id.rawValue.withCString { id in
                form.id = id
                name.withCString { name in
                    form.name = name
                    LentText.withOptional(vendor) { vendor in
                        form.vendor = vendor
                        LentText.withOptional(needs) { needs in
                            form.needs = needs
                            body(&form)
                        }
                    }
                }
            }
        }
    }
}
