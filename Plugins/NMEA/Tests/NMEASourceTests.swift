import Testing

@testable import NMEAPlugin

@Suite("NMEA source", .timeLimit(.minutes(1)))
struct NMEASourceTests {
    @Test(
        "reads what a user writes",
        arguments: [
            ("serial:/dev/ttyUSB0", .serial(path: "/dev/ttyUSB0", rate: nil)),
            ("serial:/dev/ttyUSB0@4800", .serial(path: "/dev/ttyUSB0", rate: 4800)),
            (
                "serial:/dev/serial/by-id/usb-u@blox",
                .serial(path: "/dev/serial/by-id/usb-u@blox", rate: nil)
            ),
            ("tcp:boat.local:2000", .tcp(host: "boat.local", port: 2000)),
            ("tcp:boat.local", .tcp(host: "boat.local", port: 10_110)),
            ("tcp:[::1]:2000", .tcp(host: "::1", port: 2000)),
            ("udp:10110", .udp(host: nil, port: 10_110)),
            ("udp:127.0.0.1:5000", .udp(host: "127.0.0.1", port: 5000)),
            ("file:/tmp/a log.nmea", .file(path: "/tmp/a log.nmea")),
        ] as [(String, NMEASource)])
    func reads(text: String, source: NMEASource) { #expect(NMEASource(text) == source) }

    @Test(
        "refuses anything else",
        arguments: [
            "", "serial", "serial:", "serial:@4800", "serial:/dev/ttyUSB0@4801", "usb:1", "udp:0",
            "udp:x:", "tcp:a:70000", "/dev/ttyUSB0", "file:",
        ])
    func refuses(text: String) {
        #expect(NMEASource(text) == nil)
    }
}
