// Reads location and acceleration together, from a plugin that is linked in.

import Sensorium
import SimulatedPlugin

let registry = SensorRegistry()
try await registry.add(Simulated.self)

guard let location = registry.preferred(of: LocationFix.self),
    let accelerometer = registry.preferred(of: Acceleration.self)
else { fatalError("there are no sensors here") }

let pairs = joined(
    location, with: accelerometer, matching: .nearest(within: .milliseconds(50)))
for try await pair in pairs.prefix(3) {
    print(pair.first.latitude, pair.first.longitude, pair.second.z, pair.skew)
}
print(pairs.statistics.first.unmatched, "fixes had no acceleration near enough")
