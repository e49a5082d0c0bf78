/// Writes scans as a kernel would.
///
/// It shares no code with the plugin's decoder, so that a mistake in one does not hide in the other.
struct ScanEncoder {
    private struct Field {
        var id: String
        var offset: Int
        var bytes: Int
        var isBig: Bool
        var shift: Int
    }

    private let fields: [Field]
    /// How many bytes a scan takes.
    let size: Int
    /// How many bytes libiio 0.24 believes it to take: it forgets the padding at the end.
    let sizeByLibiio: Int

    /// Lays out channels that are in the order of their scan indices.
    init(_ channels: [ScriptedChannel]) {
        var end = 0
        var widest = 1
        fields = channels.map { channel in
            // le:s12/16>>4
            let parts = channel.type.split(whereSeparator: { ":/>".contains($0) })
            let width = parts.count > 2 ? Int(parts[2]) ?? 8 : 8
            let bytes = width / 8
            while end % bytes != 0 { end += 1 }
            defer { end += bytes }
            widest = max(widest, bytes)
            return Field(
                id: channel.id, offset: end, bytes: bytes, isBig: parts.first == "be",
                shift: parts.count > 3 ? Int(parts[3]) ?? 0 : 0)
        }
        sizeByLibiio = end
        while end % widest != 0 { end += 1 }
        size = end
    }

    /// Where the channel's number begins; nil for one that is not in the scan.
    func offset(of id: String) -> Int? { fields.first { $0.id == id }?.offset }

    /// The bytes of a scan; channels that it leaves out are 0.
    func encode(_ scan: RawScan) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: size)
        for field in fields {
            let number = UInt64(bitPattern: scan[field.id] ?? 0) << UInt64(field.shift)
            for position in 0..<field.bytes {
                let place = field.isBig ? field.bytes - 1 - position : position
                bytes[field.offset + place] = UInt8(
                    truncatingIfNeeded: number >> UInt64(8 * position))
            }
        }
        return bytes
    }
}
