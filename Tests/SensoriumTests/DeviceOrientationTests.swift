import Sensorium
import Testing

@Suite("Device orientation", .timeLimit(.minutes(1)))
struct DeviceOrientationTests {
    @Test("has an up of its own for each way to hold a device")
    func up() {
        for one in DeviceOrientation.allCases {
            for other in DeviceOrientation.allCases where other != one {
                let cosine = one.up.x * other.up.x + one.up.y * other.up.y + one.up.z * other.up.z
                #expect(cosine <= 0, "\(one) and \(other)")
            }
        }
        #expect(Set(DeviceOrientation.allCases.map(\.description)).count == 6)
    }
}
