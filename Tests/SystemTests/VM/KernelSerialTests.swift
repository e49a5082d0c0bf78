import Glibc
import Sensorium
import SensoriumTestKit
import Testing

/// gpsd over a USB serial adapter, which the GPSD plugin, loaded, reads.
@Suite(
    "a USB receiver on a real kernel", .serialized, .timeLimit(.minutes(3)),
    .enabled(if: Guest.isHere, Guest.absence))
struct KernelSerialTests {
    private static let port = "/dev/ttyUSB0"

    @Test("gives fixes, is pulled out while it streams, and gives fixes again when it is back")
    func fixes() async throws {
        let daemon = try GPSDProcess(devices: [Self.port])
        try await daemon.start()
        let feed = NMEAFeed(line: "/run/serial-line")
        let app = try await GuestApp(loading: "GPSD", ["gpsd.address": daemon.address])
        let sensor = try await app.sensor(LocationFix.self, "gpsd/location")
        var reader = UpdateReader(sensor)
        let fix = try await reader.reading { $0.fix == .threeDimensional }
        #expect(fix.latitude == 10.25)
        #expect(fix.longitude == 20.5)
        #expect(fix.time.source == .device)

        let switchFile = try usbSwitch()
        try Guest.write("0", to: switchFile)
        try await Guest.wait(for: "the adapter's departure") { access(Self.port, F_OK) != 0 }
        // What gpsd's own udev rules do when an adapter goes, and comes.
        try daemon.remove()
        let told = try await reader.status(of: [.stale, .waiting, .searching])
        #expect(!told.reason.isEmpty)
        let before = reader.readings.count
        try Guest.write("1", to: switchFile)
        // gpsd, which has put down its rights, may open it once udev has given it to the group dialout.
        try await Guest.wait(for: "the adapter's return") {
            var file = stat()
            return stat(Self.port, &file) == 0 && file.st_mode & S_IRGRP != 0 && file.st_gid != 0
        }
        try daemon.add()
        let again = try await reader.reading { $0.fix == .threeDimensional }
        #expect(again.instant > fix.instant)
        #expect(reader.readings.count > before)
        await feed.end()
        await daemon.stop()
        await app.registry.removeAll()
    }

    /// The file that lets the kernel use the adapter, or not.
    private func usbSwitch() throws -> String {
        let link = "/sys/class/tty/ttyUSB0/device"
        guard let real = realpath(link, nil) else { throw SpyError("there is no \(link)") }
        defer { free(real) }
        // .../usb1/1-1/1-1:1.0/ttyUSB0
        let parts = String(cString: real).split(separator: "/")
        guard parts.count > 2 else { throw SpyError("\(String(cString: real)) is no USB device") }
        return "/" + parts.dropLast(2).joined(separator: "/") + "/authorized"
    }
}
