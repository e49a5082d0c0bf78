import Sensorium
import SensoriumServices

/// What the presenter's texts are shown on.
protocol LocationView: Sendable {
    func show(_ text: String)
}

/// Says where the user is; knows the service, and no receiver, no daemon and no plugin.
final class LocationPresenter: LocationServiceDelegate {
    private let service: LocationService
    private let view: any LocationView

    init(service: LocationService, view: any LocationView) {
        self.service = service
        self.view = view
        service.delegate = self
    }

    func showLocation() {
        view.show("Looking for your position...")
        service.requestCurrentLocation()
    }

    func locationService(_ service: LocationService, didFind fix: LocationFix) {
        let north = Self.angle(fix.latitude, "N", "S")
        let east = Self.angle(fix.longitude, "E", "W")
        let isVague = fix.horizontalAccuracy.map { $0.value > 100 } ?? false
        view.show(isVague ? "Somewhere near \(north), \(east)" : "\(north), \(east)")
    }

    func locationService(_ service: LocationService, didFailWith error: SensorError) {
        view.show("Your position is unknown: \(error.reason)")
    }

    /// `48.1371 N`: four decimals are 11 m.
    private static func angle(_ degrees: Double, _ positive: String, _ negative: String) -> String {
        let digits = String(Int((abs(degrees) * 10_000).rounded()) + 1_000_000_0)
        let whole = Int(digits.dropLast(4)).map { $0 - 1000 } ?? 0
        return "\(whole).\(digits.suffix(4)) \(degrees < 0 ? negative : positive)"
    }
}
