import Sensorium
import SensoriumTestKit

@testable import NMEAPlugin

/// What a decoder gives for some bytes.
struct Decoded {
    var fixes: [LocationFix] = []
    var satellites: [Satellites] = []
    var headings: [Heading] = []
    var noFixCount = 0
    var diagnostics: [String] = []
    var decoder: NMEADecoder

    var rejected: [NMEADecoder.Rejection: Int] { decoder.rejected }
    var readingCount: Int { fixes.count + satellites.count + headings.count }

    /// The UTC of the fixes.
    var utc: [String] {
        fixes.map { $0.time.utcNanoseconds.map { Timestamp(nanoseconds: $0).description } ?? "" }
    }

    /// Decodes sentences around these bodies.
    init(
        bodies: [String], extra: String = "", clock: VirtualClock = VirtualClock(),
        correctsRollover: Bool = false
    ) {
        let text = bodies.map { NMEAEncoder.sentence($0) + "\r\n" }.joined() + extra
        self.init(Array(text.utf8), clock: clock, correctsRollover: correctsRollover)
    }

    init(_ text: String, requiresChecksum: Bool = true) {
        self.init(Array(text.utf8), requiresChecksum: requiresChecksum)
    }

    /// Decodes bytes in pieces of that size, as a file.
    init(
        _ bytes: [UInt8], pieces size: Int = .max, clock: VirtualClock = VirtualClock(),
        requiresChecksum: Bool = true, correctsRollover: Bool = false
    ) {
        decoder = NMEADecoder(
            clock: clock, requiresChecksum: requiresChecksum, correctsRollover: correctsRollover)
        var rest = bytes[...]
        while !rest.isEmpty {
            add(decoder.decode(Array(rest.prefix(size)), arrivedAt: clock.now))
            rest = rest.dropFirst(size)
        }
        add(decoder.finish(isFile: true))
    }

    mutating func add(_ outputs: [NMEADecoder.Output]) {
        for output in outputs {
            switch output {
            case .location(let fix): fixes.append(fix)
            case .satellites(let reading): satellites.append(reading)
            case .heading(let reading): headings.append(reading)
            case .noFix: noFixCount += 1
            case .diagnostic(let text): diagnostics.append(text)
            }
        }
    }

    /// What a receiver of two constellations says in a second.
    static func epoch(second: Int) -> String {
        let time = "1200\(Timestamp.padded(second, 2)).00"
        let place = "1015.2500\(second),N,02030.5000\(second),E"
        return [
            "GNRMC,\(time),A,\(place),0.512,91.25,010126,,,A,V",
            "GNVTG,91.25,T,,M,0.512,N,0.948,K,A",
            "GNGGA,\(time),\(place),1,12,0.71,519.9,M,47.1,M,,",
            "GNGSA,A,3,02,05,12,13,15,18,25,29,,,,,1.31,0.71,1.10,1",
            "GNGSA,A,3,66,67,76,82,83,,,,,,,,1.31,0.71,1.10,2",
            "GPGSV,3,1,10,02,35,305,41,05,61,212,46,12,17,243,38,13,44,289,42,1",
            "GPGSV,3,2,10,15,38,212,43,18,42,068,41,20,05,120,,25,28,094,39,1",
            "GPGSV,3,3,10,29,75,021,45,31,03,003,,1",
            "GLGSV,2,1,06,66,41,051,40,67,66,312,43,76,21,037,35,82,29,191,41,1",
            "GLGSV,2,2,06,83,57,255,44,84,24,313,37,1", "GNGLL,\(place),\(time),A,A",
        ].map { NMEAEncoder.sentence($0) + "\r\n" }.joined()
    }
}
