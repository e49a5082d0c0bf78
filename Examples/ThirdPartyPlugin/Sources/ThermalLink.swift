/// The way to the kernel: all I/O of the plugin is behind it, and nothing else is.
package protocol ThermalLink: Sendable {
    /// The zones that there are.
    func zones() async -> [ThermalZone]
    /// What the kernel says the zone's temperature is: its text, as it stands.
    func read(_ zone: ThermalZone) async throws(ThermalFault) -> String
}

/// One of the kernel's thermal zones.
package struct ThermalZone: Sendable, Hashable {
    /// Its type, `x86_pkg_temp`; the second of a type is `acpitz-2`.
    package var name: String
    /// Its folder, `thermal_zone0`, whose number may be another one after a restart.
    package var folder: String

    /// Makes a zone.
    package init(name: String, folder: String) {
        self.name = name
        self.folder = folder
    }

    /// Names zones after their types, given in the kernel's order.
    package static func named(_ zones: [(folder: String, type: String)]) -> [ThermalZone] {
        var seen: [String: Int] = [:]
        return zones.map { zone in
            let type = String(
                zone.type.filter { $0.isASCII && ($0.isLetter || $0.isNumber || "_-".contains($0)) }
            )
            let name = type.isEmpty ? "zone" : type
            seen[name, default: 0] += 1
            let count = seen[name] ?? 1
            return ThermalZone(name: count == 1 ? name : "\(name)-\(count)", folder: zone.folder)
        }
    }
}

/// Why a zone could not be read.
package enum ThermalFault: Error, Sendable, Hashable {
    /// It is not there any more: its driver was unloaded.
    case gone
    /// The kernel cannot tell at the moment; with the kernel's word for it.
    case noAnswer(String)
}

extension ThermalZone {
    /// What the kernel says, in degrees Celsius; nil where it is not a number.
    ///
    /// Source: Documentation/ABI/testing/sysfs-class-thermal, `temp`: thousandths of a degree.
    package static func celsius(_ text: String) -> Double? {
        let digits = text.last == "\n" ? text.dropLast() : text[...]
        return Int32(digits).map { Double($0) / 1000 }
    }
}
