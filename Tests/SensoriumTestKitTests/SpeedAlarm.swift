// The app of the README's example. It knows nothing of gpsd or of spies.

import Sensorium

/// Warns while the vehicle is faster than allowed, and when nobody knows how fast it is.
final class SpeedAlarm: Sendable {
    enum Light { case off, red, unknown }

    let light = Guarded(Light.off)
    private let location: any Sensor<LocationFix>

    init(location: any Sensor<LocationFix>) { self.location = location }

    func run(limit: Double) async {
        do {
            for try await update in location.readings().updates {
                switch update {
                case .reading(let fix): show((fix.speed ?? 0) > limit ? .red : .off)
                case .status(let status) where status.state != .running: show(.unknown)
                case .status, .lost: break
                }
            }
        } catch {
            show(.unknown)
        }
    }

    private func show(_ light: Light) { self.light.withLock { $0 = light } }
}
