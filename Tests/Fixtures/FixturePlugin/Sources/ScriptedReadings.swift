public import Sensorium

/// Readings with everything known, and with nothing known that need not be.
///
/// Public, so that a test that links this module has the same ones to compare with.
public enum ScriptedReadings {
    /// A time with everything known.
    public static let fullTime = ReadingTime(
        SensorInstant(nanoseconds: 123_456_789_012),
        original: ClockTime(nanoseconds: 1_767_225_600_000_000_001, domain: .realtime),
        uncertainty: .milliseconds(250), source: .arrival)
    /// A time with only its instant.
    public static let bareTime = ReadingTime(SensorInstant(nanoseconds: 1))
    private static let accuracy = Accuracy(0.25, .ninetyFivePercent)
    private static let flags: ReadingFlags = [.simulated, .untrustedTime]

    /// Two fixes.
    public static let locations = [
        LocationFix(
            time: fullTime, latitude: 10.25, longitude: -20.5, altitudeMSL: 30.125,
            altitudeEllipsoid: 77.5, horizontalAccuracy: Accuracy(2.5, .fiftyPercent),
            verticalAccuracy: Accuracy(4.5, .sixtyEightPercent), speed: 1.5,
            speedAccuracy: Accuracy(0.1, .drms), course: 270.5,
            courseAccuracy: Accuracy(3, .unspecified), climb: -0.5, fix: .threeDimensional,
            quality: .rtkFloat, satellitesUsed: 9, flags: flags),
        LocationFix(time: bareTime, latitude: 0, longitude: 0, fix: .twoDimensional),
    ]

    /// A full list, and an empty one.
    public static let satellites = [
        Satellites(
            time: fullTime,
            inView: [
                Satellite(
                    system: .galileo, number: 11, elevation: 45, azimuth: 120, signal: 38.5,
                    isUsed: true, isHealthy: true),
                Satellite(number: 301, isUsed: false, isHealthy: false),
                Satellite(system: .gps, number: 1, isUsed: false),
            ],
            dilution: Satellites.Dilution(
                horizontal: 1.1, vertical: 1.2, position: 1.3, time: 1.4, geometric: 1.5),
            flags: flags),
        Satellites(time: bareTime, inView: []),
    ]

    /// Two headings.
    public static let headings = [
        Heading(
            time: fullTime, trueNorth: 10, magneticNorth: 8, declination: 2, accuracy: accuracy,
            flags: flags),
        Heading(time: bareTime, magneticNorth: 359.5),
    ].compactMap { $0 }

    /// Two attitudes.
    public static let attitudes = [
        Attitude(time: fullTime, w: 1, x: 0, y: 0, z: 0, accuracy: accuracy, flags: flags),
        Attitude(time: bareTime, w: 0, x: 0, y: 0, z: -1),
    ].compactMap { $0 }

    /// Two motion readings of one type.
    private static func motions<Reading: MotionReading>() -> [Reading] {
        [
            Reading(time: fullTime, x: -1.5, y: 2.25, z: 9.81, accuracy: accuracy, flags: flags),
            Reading(time: bareTime, x: 0, y: 0, z: 0, accuracy: nil, flags: []),
        ]
    }

    /// Two accelerations.
    public static let accelerations: [Acceleration] = motions()
    /// Two angular velocities.
    public static let angularVelocities: [AngularVelocity] = motions()
    /// Two magnetic fields.
    public static let magneticFields: [MagneticField] = motions()

    /// Two scalar readings of one type.
    private static func scalars<Reading: ScalarReading>() -> [Reading] {
        [
            Reading(time: fullTime, value: 101_325, accuracy: accuracy, flags: flags),
            Reading(time: bareTime, value: 0, accuracy: nil, flags: []),
        ]
    }

    /// Two pressures.
    public static let pressures: [Pressure] = scalars()
    /// Two temperatures.
    public static let temperatures: [Temperature] = scalars()
    /// Two humidities.
    public static let humidities: [Humidity] = scalars()
    /// Two illuminances.
    public static let illuminances: [Illuminance] = scalars()
    /// Two distances.
    public static let proximities: [Proximity] = scalars()

    /// A picture of two planes, and one of a single byte.
    public static var frames: [CameraFrame] {
        [
            CameraFrame(
                time: fullTime, width: 4, height: 2, format: .nv12,
                planes: [
                    CameraFrame.Plane(offset: 0, stride: 4, length: 8),
                    CameraFrame.Plane(offset: 8, stride: 4, length: 4),
                ],
                storage: FrameStorage(copying: 0..<12), sequence: 7,
                timeReference: .startOfExposure, flags: flags),
            CameraFrame(
                time: bareTime, width: 1, height: 1, format: .grey,
                planes: [CameraFrame.Plane(offset: 0, stride: 1, length: 1)],
                storage: FrameStorage(copying: [200])),
        ]
    }

    /// Two touches.
    public static let touches = [
        TouchEvent(
            time: fullTime, phase: .moved, touch: 77, x: 0.25, y: 0.75, xMillimetres: 12.5,
            yMillimetres: 50, pressure: 0.5, tool: .pen, endsFrame: false, flags: flags),
        TouchEvent(time: bareTime, phase: .cancelled, touch: 0, x: 0, y: 1),
    ]

    /// Two keys.
    public static let keys = [
        KeyEvent(time: fullTime, code: 164, phase: .pressed, flags: flags),
        KeyEvent(time: bareTime, code: 1, phase: .repeated),
    ]
}
