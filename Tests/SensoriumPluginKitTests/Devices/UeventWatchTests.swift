import SensoriumPluginKit
import Testing

@Suite("Plugging events", .timeLimit(.minutes(1)))
struct UeventWatchTests {
    @Test("are told apart by their subsystem")
    func subsystem() {
        func message(_ lines: [String]) -> [UInt8] { lines.flatMap { Array($0.utf8) + [0] } }
        #expect(
            UeventWatch.isAbout(
                "iio",
                message(["remove@/devices/x/iio:device4", "SUBSYSTEM=iio", "SEQNUM=1"])))
        #expect(!UeventWatch.isAbout("iio", message(["add@/devices/iio", "SUBSYSTEM=input"])))
        #expect(!UeventWatch.isAbout("iio", message(["X=SUBSYSTEM=iio"])))
        #expect(!UeventWatch.isAbout("iio", []))
    }

    @Test("are listened to until the end, which waits for nothing")
    func ends() {
        for _ in 0..<20 {
            let watch = UeventWatch(subsystem: "iio") {}
            watch?.end()
            watch?.end()
        }
    }
}
