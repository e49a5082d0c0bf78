import Sensorium

/// What one line of gpsd's says.
///
/// Source: gpsd_json(5).
enum GPSDReport {
    /// See `ReportParser.lastPosition`.
    case position(of: DeviceNumber)
    case sky(SkyReport)
    case attitude(AttitudeReport)
    case noise(NoiseReport)
    case version(release: String)
    case devices([DeviceReport])
    case device(DeviceReport)
    case watch(isEnabled: Bool?)
    case error(message: String)
    case poll(PollReport)
    /// A class that has nothing for us: TOFF and PPS are for clocks, IMU and raw data have no units
    /// that gpsd promises, SUBFRAME, RTCM and AIS are other trades.
    case skipped

    /// The receiver that measured what is in it; nil for what gpsd says of itself.
    var device: DeviceNumber? {
        switch self {
        case .position(of: let device): device
        case .sky(let report): report.device
        case .attitude(let report): report.device
        case .noise(let report): report.device
        case .version, .devices, .device, .watch, .error, .poll, .skipped: nil
        }
    }
}

/// A device's number in the order of appearance, so that reports carry no strings.
typealias DeviceNumber = Int

/// TPV: time, position, velocity.
///
/// A member that was not there is NaN in here, for speed; nothing outside sees it.
struct PositionReport {
    var device: DeviceNumber = 0
    /// 0 unknown, 1 no fix, 2 2D, 3 3D: this alone decides whether there is a position.
    var mode = 0
    var status: Int?
    /// UTC in nanoseconds since 1970.
    var time: Int64?
    /// The numbers, in the order of `Value`.
    var values = InlineArray<15, Double>(repeating: .nan)

    /// The numbers of a position.
    enum Value: Int {
        case latitude, longitude, altitudeEllipsoid, altitudeMSL
        /// Deprecated; above mean sea level in the releases that have nothing else.
        case altitude
        case geoidSeparation, horizontalError, longitudeError, latitudeError, verticalError
        case speed, speedError, track, trackError, climb
    }

    static var valueCount: Int { 15 }

    var latitude: Double { self[.latitude] }
    var longitude: Double { self[.longitude] }
    var altitudeEllipsoid: Double { self[.altitudeEllipsoid] }
    var altitudeMSL: Double { self[.altitudeMSL] }
    var altitude: Double { self[.altitude] }
    var geoidSeparation: Double { self[.geoidSeparation] }
    var horizontalError: Double { self[.horizontalError] }
    var longitudeError: Double { self[.longitudeError] }
    var latitudeError: Double { self[.latitudeError] }
    var verticalError: Double { self[.verticalError] }
    var speed: Double { self[.speed] }
    var speedError: Double { self[.speedError] }
    var track: Double { self[.track] }
    var trackError: Double { self[.trackError] }
    var climb: Double { self[.climb] }

    @inline(__always)
    private subscript(value: Value) -> Double { values[value.rawValue] }

    var hasPosition: Bool { mode >= 2 && !latitude.isNaN && !longitude.isNaN }
}

/// SKY: satellites and dilutions.
///
/// Most since release 3.24 have no list.
struct SkyReport {
    var device: DeviceNumber = 0
    var time: Int64?
    var satellites: [Satellite]?
    var usedCount: Int?
    var dilution = Satellites.Dilution()
}

/// ATT: heading, pitch and roll in degrees; NaN where it was not there.
struct AttitudeReport {
    var device: DeviceNumber = 0
    var time: Int64?
    /// From true north.
    var heading = Double.nan
    /// From magnetic north, since release 3.23.
    var magneticHeading = Double.nan
    var pitch = Double.nan
    var roll = Double.nan
}

/// GST: standard deviations of the position in metres; NaN where it was not there.
struct NoiseReport {
    var device: DeviceNumber = 0
    var time: Int64?
    var latitude = Double.nan
    var longitude = Double.nan
    var altitude = Double.nan
}

/// DEVICE: a receiver that gpsd knows.
struct DeviceReport: Equatable {
    var path: String
    /// Whether gpsd reads it.
    ///
    /// It says so by a time; 0 is no.
    var isActive: Bool
    var driver: String?
}

/// POLL: the last reports of every receiver.
struct PollReport {
    /// When gpsd answered, in nanoseconds since 1970 by its own host's clock.
    var time: Int64?
    var positions: [PositionReport] = []
    var skies: [SkyReport] = []
}
