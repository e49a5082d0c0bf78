import Sensorium
import SensoriumTestKit
import Testing

/// The IIO plugin, loaded, over the kernel's own drivers.
@Suite(
    "IIO on a real kernel", .serialized, .timeLimit(.minutes(3)),
    .enabled(if: Guest.isHere, Guest.absence))
struct KernelIIOTests {
    @Test("polls an ST accelerometer that has no buffer, in SI units")
    func polls() async throws {
        let app = try await GuestApp(loading: "IIO")
        let sensor = try await app.sensor(Acceleration.self, "lis2dh12_accel")
        // At the driver's own 1 Hz, a read of an axis takes a second.
        let readings = try await first(3, of: sensor, SamplingRequest(rate: 50))
        // 100, -200 and 1000 mg.
        for reading in readings {
            #expect(abs(reading.x - 0.98) < 0.02, "\(reading)")
            #expect(abs(reading.y + 1.96) < 0.02, "\(reading)")
            #expect(abs(reading.z - 9.8) < 0.1, "\(reading)")
            #expect(reading.time.source == .arrival)
        }
        await app.registry.removeAll()
    }

    @Test("reads a barometer that has only computed values: Bosch's worked example")
    func barometer() async throws {
        let app = try await GuestApp(loading: "IIO")
        let pressure = try await first(
            1, of: try await app.sensor(Pressure.self, "bmp280"))[0]
        #expect(abs(pressure.value - 100_653) < 3, "\(pressure)")
        let temperature = try await first(
            1, of: try await app.sensor(Temperature.self, "bmp280"))[0]
        #expect(abs(temperature.value - 25.08) < 0.01, "\(temperature)")
        await app.registry.removeAll()
    }

    @Test("reads the three motion sensors of a HID hub from their buffers")
    func motion() async throws {
        try Guest.hid("set accel 10 -20 1000", "set gyro 100 200 -300", "set magn 210 -40 430")
        let app = try await GuestApp(loading: "IIO")
        let acceleration = try await first(
            5, of: try await app.sensor(Acceleration.self, "accel_3d"))
        // Milli-g. HID calls z positive towards the ground; what the driver says of that is its matrix's.
        let pull = try #require(acceleration.last)
        #expect(abs(pull.x - 0.0980665) < 1e-3, "\(pull)")
        #expect(abs(pull.y + 0.196133) < 1e-3, "\(pull)")
        #expect(abs(pull.z - 9.80665) < 1e-2, "\(pull)")
        #expect(pull.time.source == .device)
        let turn = try #require(
            try await first(5, of: try await app.sensor(AngularVelocity.self, "gyro_3d")).last)
        #expect(abs(turn.x - 1 * .pi / 180) < 1e-4, "\(turn)")
        #expect(abs(turn.z + 3 * .pi / 180) < 1e-4, "\(turn)")
        let field = try #require(
            try await first(5, of: try await app.sensor(MagneticField.self, "magn_3d")).last)
        #expect(abs(field.x - 21e-6) < 1e-8, "\(field)")
        #expect(abs(field.z - 43e-6) < 1e-8, "\(field)")
        await app.registry.removeAll()
    }

    @Test("captures 512 samples at 200 Hz without a gap, in order of time")
    func ramp() async throws {
        let app = try await GuestApp(loading: "IIO")
        let sensor = try await app.sensor(Acceleration.self, "accel_3d")
        try Guest.hid("ramp accel")
        var counts: [Int] = []
        var instants: [SensorInstant] = []
        let stream = sensor.readings(
            SamplingRequest(
                rate: 200, maxLatency: .milliseconds(50), buffering: .newest(4096)))
        for try await batch in stream.batches {
            counts += batch.map { Int(($0.x / 0.00980665).rounded()) }
            instants += batch.map(\.instant)
            #expect(sensor.grantedRate == 200)
            if counts.count >= 520 { break }
        }
        // What was under way when the rate was set may be of before it.
        let steady = Array(counts.dropFirst(8).prefix(512))
        #expect(zip(steady, steady.dropFirst()).allSatisfy { $1 == $0 + 1 }, "\(steady)")
        #expect(zip(instants, instants.dropFirst()).allSatisfy(<))
        #expect(stream.lossCount == 0)
        let span = instants[8].duration(to: instants[8 + 511]).inSeconds
        // The player of the device may be late, but sends what is due: the mean holds.
        #expect(abs(span / 511 - 0.005) < 0.001, "\(span)")
        await sensor.closed()
        await app.registry.removeAll()
    }

    @Test("hears that a hub is pulled out while it streams, and reads it again when it is back")
    func replug() async throws {
        try Guest.hid("set accel 10 -20 1000")
        let app = try await GuestApp(loading: "IIO")
        let sensor = try await app.sensor(Acceleration.self, "accel_3d")
        var reader = UpdateReader(sensor)
        while reader.readings.count < 5 { _ = try await reader.reading() }
        let start = SystemClock().now
        try Guest.hid("unplug hub")
        await #expect(throws: (any Error).self) {
            while true { _ = try await reader.status(.waiting) }
        }
        #expect(start.duration(to: SystemClock().now) < .seconds(10))
        try await Guest.wait(for: "the sensor's departure") { !app.has("accel_3d") }
        try Guest.hid("set accel 30 -20 1000", "plug hub")
        let again = try await app.sensor(Acceleration.self, "accel_3d")
        #expect(again.descriptor.id == sensor.descriptor.id)
        let reading = try #require(try await first(5, of: again).last)
        #expect(abs(reading.x - 0.2941995) < 1e-3, "\(reading)")
        await app.registry.removeAll()
    }

    @Test("hears that a chip is taken from its bus, and reads it again when it is back")
    func rebind() async throws {
        let bus = "/sys/bus/i2c/devices/i2c-\(Guest.line("/run/i2c-bus"))"
        let app = try await GuestApp(loading: "IIO")
        let sensor = try await app.sensor(Acceleration.self, "lis2dh12_accel")
        var reader = UpdateReader(sensor, SamplingRequest(rate: 50))
        _ = try await reader.reading()
        try Guest.write("0x19", to: "\(bus)/delete_device")
        await #expect(throws: (any Error).self) {
            while true { _ = try await reader.status(.waiting) }
        }
        try await Guest.wait(for: "the chip's departure") { !app.has("lis2dh12") }
        try Guest.write("lis2dh12_accel 0x19", to: "\(bus)/new_device")
        let again = try await app.sensor(Acceleration.self, "lis2dh12_accel")
        #expect(try await first(1, of: again, SamplingRequest(rate: 50)).count == 1)
        await app.registry.removeAll()
    }

    private func first<Reading>(
        _ count: Int, of sensor: SharedSensor<Reading>, _ request: SamplingRequest = .default
    ) async throws -> [Reading] {
        var readings: [Reading] = []
        for try await reading in sensor.readings(request) {
            readings.append(reading)
            if readings.count == count { break }
        }
        await sensor.closed()
        return readings
    }
}
