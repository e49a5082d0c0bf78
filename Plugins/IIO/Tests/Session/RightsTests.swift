import IIOSpy
import Sensorium
import SensoriumTestKit
import Testing

@testable import IIOPlugin

@Suite("IIO rights", .timeLimit(.minutes(1)))
struct RightsTests {
    /// Without `raw` attributes, it can only be captured.
    private var captured: ScriptedDevice {
        var device = ScriptedDevice.accelerometer()
        for place in device.channels.indices { device.channels[place].attributes["raw"] = nil }
        return device
    }

    private func authorization(of sensor: some Sensor) -> AuthorizationStatus {
        sensor.authorization
    }

    @Test("a device that can only be captured is denied where its node is for others")
    func denied() async throws {
        let bench = Bench([captured])
        try await bench.clock.run {
            let accelerometer = try await bench.sensor(of: Acceleration.self)
            #expect(authorization(of: accelerometer) == .authorized)
            try await bench.spy.suffer(.deny)
            #expect(authorization(of: accelerometer) == .denied)
            #expect(await accelerometer.requestAuthorization() == .denied)
            try await bench.spy.suffer(.permit)
            #expect(authorization(of: accelerometer) == .authorized)
        }
    }

    @Test("one that can be polled is not denied")
    func polled() async throws {
        let bench = Bench([.accelerometer()])
        try await bench.clock.run {
            let accelerometer = try await bench.sensor(of: Acceleration.self)
            try await bench.spy.suffer(.deny)
            #expect(authorization(of: accelerometer) == .authorized)
        }
    }

    @Test("another machine's node is no matter of rights on this one")
    func remote() async throws {
        let bench = Bench([captured], isLocal: false)
        try await bench.clock.run {
            let accelerometer = try await bench.sensor(of: Acceleration.self)
            try await bench.spy.suffer(.deny)
            #expect(authorization(of: accelerometer) == .authorized)
        }
    }

    @Test("what the link says that would help reaches the app")
    func hint() {
        var fault = IIOFault(errno: 13, doing: "capturing iio:device0")
        fault.hint = "join the group"
        #expect(
            SensorError(fault, of: "iio/a/acceleration")
                == .denied(
                    "iio/a/acceleration",
                    reason: "capturing iio:device0 failed: permission denied (EACCES)",
                    hint: "join the group"))
    }
}
