import Sensorium

@testable import GPSDPlugin

/// Lines as gpsd writes them, made up: nobody was ever there.
enum Lines {
    static let version =
        #"{"class":"VERSION","release":"3.25","rev":"3.25","proto_major":3,"proto_minor":15}"#
    static let devices =
        #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/ttyUSB0","#
        + #""driver":"u-blox","activated":"2026-01-01T00:00:00.000Z","native":1,"bps":9600,"#
        + #""parity":"N","stopbits":1,"cycle":1.00}]}"#
    static let watch =
        #"{"class":"WATCH","enable":true,"json":true,"nmea":false,"raw":0,"scaled":false,"#
        + #""timing":false,"split24":false,"pps":false}"#

    /// A 3D fix in the given second after 2026-01-01T00:00:00Z, which is when a virtual clock starts.
    static func fix(
        _ second: Int, device: String = "/dev/ttyUSB0", mode: Int = 3, latitude: Double = 10.25,
        longitude: Double = 20.5, extra: String = #","altHAE":146.0,"altMSL":106.2"#
    ) -> String {
        #"{"class":"TPV","device":"\#(device)","mode":\#(mode),"time":"\#(time(second))","#
            + #""ept":0.005,"lat":\#(latitude),"lon":\#(longitude)\#(extra)}"#
    }

    /// A satellite list of `count` satellites, half of which are used.
    static func sky(_ second: Int, device: String = "/dev/ttyUSB0", count: Int) -> String {
        let list = (1...max(1, count)).prefix(count).map { number in
            #"{"PRN":\#(number),"gnssid":0,"svid":\#(number),"az":\#(number * 7).0,"el":45.0,"#
                + #""ss":\#(20 + number % 30).0,"used":\#(number % 2 == 0),"health":1}"#
        }
        return #"{"class":"SKY","device":"\#(device)","time":"\#(time(second))","hdop":0.8,"#
            + #""pdop":1.4,"nSat":\#(count),"satellites":[\#(list.joined(separator: ","))]}"#
    }

    static func time(_ second: Int) -> String {
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return "2026-01-01T\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60)).000Z"
    }

    /// The bytes of lines, each with CR and LF.
    static func bytes(_ lines: [String]) -> [UInt8] { lines.flatMap { Array("\($0)\r\n".utf8) } }
}

/// What a decoder gave, sorted by kind.
struct Decoded {
    var fixes: [LocationFix] = []
    var satellites: [Satellites] = []
    var attitudes: [Attitude] = []
    var headings: [Heading] = []
    var complaints: [String] = []
    var diagnostics: [String] = []
    var releases: [String] = []
    var noFixCount = 0
    var rejected: [GPSDDecoder.Rejection: Int] = [:]
    var skipped = 0

    init() {}

    /// Decodes whole lines.
    init(_ lines: [String], device: String? = nil, clock: any SensorClock) {
        self.init(Lines.bytes(lines), device: device, clock: clock)
    }

    /// Decodes bytes, cut at `cuts`, to the end of the input.
    init(_ bytes: [UInt8], cuts: [Int] = [], device: String? = nil, clock: any SensorClock) {
        var decoder = GPSDDecoder(clock: clock, device: device)
        var start = 0
        for end in cuts + [bytes.count] where end > start {
            add(decoder.decode(Array(bytes[start..<end]), arrivedAt: clock.now))
            start = end
        }
        add(decoder.finish(isFile: true))
        rejected = decoder.rejected
        skipped = decoder.skipped
    }

    mutating func add(_ outputs: [GPSDDecoder.Output]) {
        for output in outputs {
            switch output {
            case .location(let fix): fixes.append(fix)
            case .satellites(let list): satellites.append(list)
            case .attitude(let attitude): attitudes.append(attitude)
            case .heading(let heading): headings.append(heading)
            case .noFix: noFixCount += 1
            case .greeting(let release): releases.append(release)
            case .complaint(let message): complaints.append(message)
            case .diagnostic(let text): diagnostics.append(text)
            case .receivers, .receiverGone, .watching: break
            }
        }
    }

    /// How many lines were left out.
    var rejectedCount: Int { rejected.values.reduce(0, +) }
}
