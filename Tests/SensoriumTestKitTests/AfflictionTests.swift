import Sensorium
import SensoriumTestKit
import Testing

@Suite("faults of readings on their way", .timeLimit(.minutes(1)))
struct AfflictionTests {
    /// What an app gets of the heights 1 to `count` that a spy which suffers `faults` delivers.
    private func heights(_ count: Int, after faults: Fault...) async throws -> [Double] {
        let clock = VirtualClock()
        let imu = MotionSensorSpy<Acceleration>(clock: clock)
        let got = Collected<Double>()
        try await clock.run {
            let loop = clock.spawn("app") {
                do {
                    for try await reading in imu.readings() { got.append(reading.z) }
                } catch {}
            }
            try await imu.started()
            for fault in faults { try await imu.suffer(fault) }
            for height in 1...count { try await imu.deliver(x: 0, y: 0, z: Double(height)) }
            loop.cancel()
            await loop.value
        }
        return got.all
    }

    @Test("the next readings come twice")
    func duplicate() async throws {
        #expect(try await heights(4, after: .duplicate(2)) == [1, 1, 2, 2, 3, 4])
    }

    @Test("the next readings come in reverse order, when the last has come")
    func reorder() async throws {
        #expect(try await heights(5, after: .reorder(3)) == [3, 2, 1, 4, 5])
    }

    @Test("a dropped reading is not among those that come in reverse order")
    func dropAndReorder() async throws {
        #expect(try await heights(5, after: .drop(1), .reorder(3)) == [4, 3, 2, 5])
    }

    @Test("noise is about nothing on the mean, of the deviation asked for, and ends with 0")
    func noise() async throws {
        let noisy = try await heights(2000, after: .noise(0.5))
        let errors = noisy.enumerated().map { $0.element - Double($0.offset + 1) }
        let mean = errors.reduce(0, +) / 2000
        let variance = errors.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 2000
        #expect(abs(mean) < 0.05)
        #expect(abs(variance.squareRoot() - 0.5) < 0.05)
        #expect(try await heights(2000, after: .noise(0.5)) == noisy)
        #expect(try await heights(3, after: .noise(0.5), .noise(0)) == [1, 2, 3])
    }

    @Test("a position is moved by metres, and stays on the Earth")
    func position() async throws {
        let clock = VirtualClock()
        let gps = LocationSensorSpy(clock: clock)
        let got = Collected<LocationFix>()
        try await clock.run {
            let loop = clock.spawn("app") {
                do {
                    for try await fix in gps.readings() { got.append(fix) }
                } catch {}
            }
            try await gps.started()
            try await gps.suffer(.noise(10))
            for _ in 0..<500 { try await gps.deliver(latitude: 60, longitude: 179.99999) }
            try await gps.deliver(latitude: 90, longitude: 0)
            loop.cancel()
            await loop.value
        }
        let fixes = got.all
        #expect(fixes.allSatisfy { abs($0.latitude) <= 90 && abs($0.longitude) <= 180 })
        let north = fixes.dropLast().map { ($0.latitude - 60) * 111_195 }
        let deviation = (north.reduce(0) { $0 + $1 * $1 } / 500).squareRoot()
        #expect(abs(deviation - 10) < 1)
        #expect(fixes.contains { $0.longitude < 0 })
    }
}
