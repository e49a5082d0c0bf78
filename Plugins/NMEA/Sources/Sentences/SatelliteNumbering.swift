import Sensorium

/// Which satellite a number in GSA and GSV means.
///
/// Before NMEA 4.11, which names the constellation, numbers were spread over one row: 33 to 64 for
/// augmentation, 65 to 96 for GLONASS, and what makers liked for the rest. Sources: NMEA 0183 4.11;
/// u-blox 8 protocol specification, "Satellite numbering"; Quectel L76 and L89 protocol manuals.
enum SatelliteNumbering {
    /// The constellation that talks; nil for several together, and for instruments.
    static func system(of talker: Talker) -> Satellite.System? {
        switch talker {
        case 0x4750: .gps  // GP
        case 0x474c: .glonass  // GL
        case 0x4741: .galileo  // GA
        case 0x4742, 0x4244: .beiDou  // GB, BD
        case 0x4751, 0x5051, 0x515a: .qzss  // GQ, PQ, QZ
        case 0x4749: .navIC  // GI
        default: nil
        }
    }

    /// The constellation of a system id, as in the last field of a GSA; nil where there is none.
    static func system(numbered id: Int) -> Satellite.System? {
        switch id {
        case 1: .gps
        case 2: .glonass
        case 3: .galileo
        case 4: .beiDou
        case 5: .qzss
        case 6: .navIC
        default: nil
        }
    }

    /// The constellation, and the number within it.
    static func satellite(
        _ number: Int, of system: Satellite.System?
    ) -> (system: Satellite.System?, number: Int) {
        if number <= 32, system != nil { return (system, number) }
        switch number {
        case 33...64 where system != .galileo && system != .beiDou: return (.sbas, number + 87)
        case 120...158 where system == nil || system == .gps: return (.sbas, number)
        case 65...99 where system == nil || system == .gps || system == .glonass:
            return (.glonass, number - 64)
        case 193...202 where system == nil || system == .gps || system == .qzss:
            return (.qzss, number - 192)
        case 201...264 where system == nil || system == .beiDou: return (.beiDou, number - 200)
        case 301...336 where system == nil || system == .galileo: return (.galileo, number - 300)
        case 401...463 where system == nil || system == .beiDou: return (.beiDou, number - 400)
        case 1...32 where system == nil: return (.gps, number)
        default: return (system, number)
        }
    }
}
