/// A source of positions on the Earth.
///
/// Coordinates are degrees on the WGS 84 ellipsoid; every other quantity is in SI units. A sensor
/// reports what its receiver says and never guesses: what the receiver did not give is nil.
public protocol LocationSensor: Sensor where Reading == LocationFix {}

/// A source of `Acceleration`, `AngularVelocity` or `MagneticField`, in the device frame.
///
/// The frame is right-handed: x to the right, y up, z out of the screen. A sensor applies scale,
/// offset and mount matrix before it delivers.
public protocol MotionSensor<Reading>: Sensor where Reading: MotionReading {}

/// A source of `Pressure`, `Temperature`, `Humidity`, `Illuminance` or `Proximity`.
public protocol EnvironmentSensor<Reading>: Sensor where Reading: ScalarReading {}

/// A source of pictures.
///
/// Frames are lent: see `CameraFrame`.
public protocol CameraSensor: Sensor where Reading == CameraFrame {}

/// A source of touches on a surface.
///
/// Every `began` is followed by exactly one `ended` or `cancelled` of the same touch, also when
/// events were lost or the device went away.
public protocol TouchSensor: Sensor where Reading == TouchEvent {}
