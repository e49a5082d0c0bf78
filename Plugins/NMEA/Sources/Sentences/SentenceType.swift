/// The sentences that are understood, by the last three letters of their address.
enum SentenceType: UInt32 {
    /// Recommended minimum.
    case rmc = 0x52_4d43
    /// Fix data.
    case gga = 0x47_4741
    /// Fix data of several constellations.
    case gns = 0x47_4e53
    /// Position.
    case gll = 0x47_4c4c
    /// Course and speed over ground.
    case vtg = 0x56_5447
    /// Date and time.
    case zda = 0x5a_4441
    /// Dilutions, and the satellites that are used.
    case gsa = 0x47_5341
    /// Satellites in view.
    case gsv = 0x47_5356
    /// Standard deviations of the position.
    case gst = 0x47_5354
    /// Expected errors of the position.
    case gbs = 0x47_4253
    /// True heading.
    case hdt = 0x48_4454
    /// Magnetic heading.
    case hdm = 0x48_444d
    /// Heading of a magnetic sensor, with deviation and variation.
    case hdg = 0x48_4447
    /// True heading, with a status.
    case ths = 0x54_4853
    /// The datum that positions are in.
    case dtm = 0x44_544d
}

/// Who talks: two letters, as `GP`, in one number.
typealias Talker = UInt16

extension Talker {
    /// Several constellations together.
    static var combined: Talker { 0x474e }
}
