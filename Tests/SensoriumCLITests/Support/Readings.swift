import Sensorium

/// Readings that tests print.
enum Samples {
    /// A time at which nothing is unknown: 12.5 s after boot, the receiver's UTC kept.
    static let time = ReadingTime(
        SensorInstant(nanoseconds: 12_500_000_000),
        original: ClockTime(nanoseconds: 1_704_110_400_250_000_000, domain: .realtime))

    /// The time of arrival, where the source gave none.
    static let arrival = ReadingTime(
        SensorInstant(nanoseconds: 12_500_000_000), source: .arrival)

    /// A fix of which everything is known.
    static let fix = LocationFix(
        time: time, latitude: 48.137154, longitude: -11.5, altitudeMSL: 519.3,
        altitudeEllipsoid: 565.25, horizontalAccuracy: Accuracy(4.1, .sixtyEightPercent),
        verticalAccuracy: Accuracy(6, .ninetyFivePercent), speed: 1.5,
        speedAccuracy: Accuracy(0.1, .unspecified), course: 270.25,
        courseAccuracy: Accuracy(2, .unspecified), climb: -0.5, fix: .threeDimensional,
        quality: .rtkFixed, satellitesUsed: 9)

    /// A fix of which only the position is known.
    static let bareFix = LocationFix(
        time: arrival, latitude: 0, longitude: 0, fix: .twoDimensional, flags: .simulated)

    static let acceleration = Acceleration(
        time: ReadingTime(SensorInstant(nanoseconds: 12_480_000_000)), x: 0.125, y: -0.25, z: 9.75)
}
