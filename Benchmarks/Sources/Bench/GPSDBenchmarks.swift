import CGPS
import GPSDPlugin
import Glibc
import Sensorium

/// gpsd's reports to readings, beside libgps, which only fills its struct.
enum GPSDBenchmarks {
    /// As long as a real one of gpsd 3.22.
    ///
    /// The times differ, so that each is an epoch of its own.
    private static func position(_ second: Int) -> String {
        let time = "2026-01-01T00:\(two(second / 60 % 60)):\(two(second % 60)).000Z"
        return
            #"{"class":"TPV","device":"/dev/ttyACM0","status":2,"mode":3,"time":"\#(time)","leapseconds":18,"ept":0.005,"lat":48.123456789,"lon":11.512345678,"altHAE":567.123,"altMSL":519.987,"alt":519.987,"epx":3.125,"epy":4.250,"epv":9.875,"track":123.4567,"magtrack":120.1234,"magvar":3.3,"speed":1.234,"climb":-0.050,"eps":0.85,"epc":1.2,"geoidSep":47.136,"eph":5.270,"sep":11.210}"#
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private static let sky: String = {
        let satellites = (1...20).map { number in
            #"{"PRN":\#(number),"gnssid":\#(number % 4),"svid":\#(number),"az":\#(number * 17).0,"el":\#(number * 4).0,"ss":\#(20 + number).0,"used":\#(number % 2 == 0),"health":1}"#
        }
        return
            #"{"class":"SKY","device":"/dev/ttyACM0","time":"2026-01-01T00:00:00.000Z","xdop":0.55,"ydop":0.71,"vdop":1.10,"tdop":0.72,"hdop":0.90,"gdop":1.60,"pdop":1.42,"nSat":20,"uSat":10,"satellites":[\#(satellites.joined(separator: ","))]}"#
    }()

    static func rows() -> [Row] {
        [
            row("gpsd.tpv-to-fix", (0..<600).map(position), goal: 500, goalRatio: 10),
            row("gpsd.sky-20-satellites", Array(repeating: sky, count: 200), goal: 4000),
        ]
    }

    private static func row(
        _ name: String, _ lines: [String], goal: Double, goalRatio: Double? = nil
    ) -> Row {
        let inputs = lines.map { Array(($0 + "\r\n").utf8) }
        let forLibrary = lines.map { Array($0.utf8CString) }
        var (ours, theirs) = (Samples(), Samples())
        let clock = SystemClock()
        for _ in 0..<101 {
            var decoder = GPSDDecoder()
            var readings = 0
            var outputs: [GPSDDecoder.Output] = []
            let now = clock.now
            ours.add(
                nanoseconds {
                    for input in inputs {
                        outputs.removeAll(keepingCapacity: true)
                        input.withUnsafeBufferPointer {
                            decoder.decode($0, arrivedAt: now, into: &outputs)
                        }
                        readings += outputs.count
                    }
                    readings += decoder.finish().count
                }, items: inputs.count)
            precondition(readings >= inputs.count, "readings are missing")
            theirs.add(unpack(forLibrary), items: inputs.count)
        }
        return Row(
            name: name, value: ours.median, unit: "ns", rival: ("gps_unpack", theirs.median),
            goal: goal, goalRatio: goalRatio)
    }

    private static func unpack(_ lines: [[CChar]]) -> Int64 {
        let data = UnsafeMutablePointer<gps_data_t>.allocate(capacity: 1)
        // gps_unpack uses private memory that only gps_open would make; it is larger than a page.
        let scratch = calloc(1, 1 << 20)
        memset(data, 0, MemoryLayout<gps_data_t>.size)
        UnsafeMutableRawPointer(data).storeBytes(
            of: scratch, toByteOffset: MemoryLayout<gps_data_t>.offset(of: \.privdata) ?? 0,
            as: UnsafeMutableRawPointer?.self)
        defer {
            free(scratch)
            data.deallocate()
        }
        var copies = lines
        return nanoseconds {
            for place in copies.indices {
                keep(
                    copies[place].withUnsafeMutableBufferPointer {
                        gps_unpack($0.baseAddress, data)
                    })
            }
        }
    }
}
