import Sensorium
import SensoriumServices

/// Tells where the user is: rules of its own, and no word of how a position is measured.
final class WhereAmI: LocationServiceDelegate {
    let title = Guarded("")
    private let location: LocationService

    init(sensor: any Sensor<LocationFix>) {
        location = LocationService(sensor: sensor)
        location.delegate = self
    }

    func refresh() { location.requestCurrentLocation() }

    func locationService(_ service: LocationService, didFind fix: LocationFix) {
        title.withLock { $0 = "\(fix.latitude), \(fix.longitude)" }
    }

    func locationService(_ service: LocationService, didFailWith error: SensorError) {
        title.withLock { $0 = "Nobody knows: \(error.reason)" }
    }
}
