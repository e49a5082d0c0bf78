import Sensorium
import SensoriumServices
import SensoriumTestKit

/// A delegate of all services that remembers what it was told.
final class RecordingDelegate: LocationServiceDelegate, MotionServiceDelegate,
    CameraServiceDelegate
{
    let fixes = Collected<LocationFix>()
    let accelerations = Collected<Acceleration>()
    let frames = Collected<CameraFrame>()
    let errors = Collected<SensorError>()

    func locationService(_ service: LocationService, didFind fix: LocationFix) {
        fixes.append(fix)
    }

    func locationService(_ service: LocationService, didFailWith error: SensorError) {
        errors.append(error)
    }

    func motionService(_ service: MotionService, didMeasure acceleration: Acceleration) {
        accelerations.append(acceleration)
    }

    func motionService(_ service: MotionService, didFailWith error: SensorError) {
        errors.append(error)
    }

    func cameraService(_ service: CameraService, didTake frame: CameraFrame) {
        frames.append(frame)
    }

    func cameraService(_ service: CameraService, didFailWith error: SensorError) {
        errors.append(error)
    }
}

/// A delegate as a user interface has it.
@MainActor
final class MainActorDelegate: LocationServiceDelegate {
    private(set) var latitudes: [Double] = []

    func locationService(_ service: LocationService, didFind fix: LocationFix) {
        MainActor.assertIsolated()
        latitudes.append(fix.latitude)
    }

    func locationService(_ service: LocationService, didFailWith error: SensorError) {}
}

/// Asks for one more position as soon as it has one.
actor InsatiableDelegate: LocationServiceDelegate {
    private(set) var latitudes: [Double] = []

    func locationService(_ service: LocationService, didFind fix: LocationFix) async {
        latitudes.append(fix.latitude)
        guard latitudes.count == 1 else { return }
        if let next = try? await service.currentLocation() { latitudes.append(next.latitude) }
    }

    func locationService(_ service: LocationService, didFailWith error: SensorError) {}
}
