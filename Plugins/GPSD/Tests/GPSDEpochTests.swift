import Sensorium
import SensoriumTestKit
import Testing

@testable import GPSDPlugin

@Suite("gpsd epochs, receivers and time", .timeLimit(.minutes(1)))
struct GPSDEpochTests {
    let clock = VirtualClock()

    // MARK: Epochs

    @Test("makes one fix of all reports of one time")
    func coalesced() throws {
        let decoded = Decoded(
            [
                Lines.fix(0, mode: 2, extra: #","speed":1.5"#), Lines.fix(0),
                Lines.fix(0, extra: #","altHAE":147.0,"track":90.0"#), Lines.sky(0, count: 4),
                Lines.fix(0, extra: ""), Lines.fix(1),
            ], clock: clock)
        try #require(decoded.fixes.count == 2)
        let first = decoded.fixes[0]
        #expect(first.fix == .threeDimensional)
        #expect(first.altitudeEllipsoid == 147)
        #expect(first.altitudeMSL == 106.2)
        #expect(first.speed == 1.5)
        #expect(first.course == 90)
        #expect(first.satellitesUsed == 2)
    }

    @Test("closes an epoch when it was open for long enough, and gives no second fix of it")
    func straggler() {
        var decoder = GPSDDecoder(clock: clock)
        var decoded = Decoded()
        let start = clock.now
        func add(_ line: String, after: Duration) {
            decoded.add(
                decoder.decode(Lines.bytes([line]), arrivedAt: start.advanced(by: after)))
        }
        add(Lines.fix(0, mode: 2, extra: ""), after: .zero)
        #expect(decoder.oldestOpenEpoch == start)
        decoded.add(decoder.closeEpochs(arrivedBy: start.advanced(by: .milliseconds(-1))))
        #expect(decoded.fixes.isEmpty)
        decoded.add(decoder.closeEpochs(arrivedBy: start))
        #expect(decoded.fixes.count == 1)
        #expect(decoder.oldestOpenEpoch == nil)
        // A slow serial line: the rest of the epoch comes after it was closed.
        add(Lines.fix(0), after: .milliseconds(150))
        decoded.add(decoder.closeEpochs(arrivedBy: start.advanced(by: .milliseconds(300))))
        #expect(decoded.fixes.count == 1)
        add(Lines.fix(1), after: .seconds(1))
        decoded.add(decoder.finish())
        #expect(decoded.fixes.count == 2)
    }

    @Test("takes each report without a time for an epoch of its own")
    func timeless() {
        let line = #"{"class":"TPV","mode":3,"lat":10.25,"lon":20.5}"#
        let decoded = Decoded([line, line, line], clock: clock)
        #expect(decoded.fixes.count == 3)
    }

    @Test("publishes no position that a later report of its time takes back")
    func takenBack() {
        let decoded = Decoded(
            [Lines.fix(0), Lines.fix(1), Lines.fix(1, mode: 1), Lines.fix(2, mode: 1)], clock: clock
        )
        #expect(decoded.fixes.count == 1)
        #expect(decoded.noFixCount > 0)
    }

    // MARK: Receivers

    @Test("sticks to one receiver, and takes another when that has no fix for 10 s")
    func receivers() {
        var decoder = GPSDDecoder(clock: clock)
        var decoded = Decoded()
        let start = clock.now
        for second in 0..<30 {
            let first = Lines.fix(second, device: "/dev/a", mode: second < 10 ? 3 : 1, latitude: 1)
            let other = Lines.fix(second, device: "/dev/b", latitude: 2)
            decoded.add(
                decoder.decode(
                    Lines.bytes([first, other]), arrivedAt: start.advanced(by: .seconds(second))))
        }
        decoded.add(decoder.finish())
        let latitudes = decoded.fixes.map(\.latitude)
        #expect(latitudes == Array(repeating: 1, count: 10) + Array(repeating: 2, count: 11))
        #expect(decoder.foreign > 0)
    }

    @Test("listens to the receiver that was asked for, and to no other")
    func selected() {
        let lines = [
            Lines.fix(0, device: "/dev/a", latitude: 1), Lines.sky(0, device: "/dev/a", count: 3),
            Lines.fix(0, device: "/dev/b", latitude: 2), Lines.sky(0, device: "/dev/b", count: 5),
        ]
        let decoded = Decoded(lines, device: "/dev/b", clock: clock)
        #expect(decoded.fixes.map(\.latitude) == [2])
        #expect(decoded.satellites.map(\.inView.count) == [5])
    }

    @Test("takes another receiver at once when the chosen one is taken away")
    func removed() {
        let decoded = Decoded(
            [
                Lines.fix(0, device: "/dev/a", latitude: 1),
                #"{"class":"DEVICE","path":"/dev/a","activated":0}"#,
                Lines.fix(1, device: "/dev/b", latitude: 2),
            ], clock: clock)
        #expect(decoded.fixes.map(\.latitude) == [1, 2])
    }

    // MARK: Satellites, attitude, heading

    @Test("gives a list of satellites, and keeps it over reports that have none")
    func sky() throws {
        let decoded = Decoded(
            [
                Lines.sky(0, count: 20), Lines.fix(0),
                #"{"class":"SKY","device":"/dev/ttyUSB0","time":"\#(Lines.time(1))","hdop":0.9}"#,
                Lines.fix(1),
            ], clock: clock)
        try #require(decoded.satellites.count == 1)
        let reading = decoded.satellites[0]
        #expect(reading.inView.count == 20)
        #expect(reading.usedCount == 10)
        #expect(reading.dilution.horizontal == 0.8)
        #expect(
            reading.inView[0]
                == Satellite(
                    system: .gps, number: 1, elevation: 45, azimuth: 7, signal: 21, isUsed: false,
                    isHealthy: true))
        #expect(decoded.fixes.map(\.satellitesUsed) == [10, 10])
    }

    @Test("leaves what a receiver does not know of a satellite unknown")
    func unknownOfSatellite() throws {
        let line =
            #"{"class":"SKY","satellites":[{"PRN":301,"used":false},"#
            + #"{"PRN":65,"el":-91,"az":-1,"ss":0,"used":true,"health":0},{"used":true}]}"#
        let decoded = Decoded([line], clock: clock)
        let list = try #require(decoded.satellites.first?.inView)
        #expect(
            list == [Satellite(number: 301, isUsed: false), Satellite(number: 65, isUsed: true)])
    }

    @Test("counts a satellite with several signals once, with its strongest")
    func signals() throws {
        let line =
            #"{"class":"SKY","satellites":["#
            + #"{"PRN":327,"gnssid":2,"svid":27,"az":232.0,"el":62.0,"ss":36.0,"used":false},"#
            + #"{"PRN":327,"gnssid":2,"svid":27,"sigid":3,"az":232.0,"el":62.0,"ss":40.0,"used":true},"#
            + #"{"PRN":27,"gnssid":0,"svid":27,"az":10.0,"el":20.0,"ss":30.0,"used":true}]}"#
        let decoded = Decoded([line], clock: clock)
        let list = try #require(decoded.satellites.first?.inView)
        #expect(list.map(\.signal) == [40, 30])
        #expect(list.map(\.isUsed) == [true, true])
    }

    @Test("turns heading, pitch and roll into a heading and an attitude")
    func attitude() throws {
        func line(_ body: String) -> String { #"{"class":"ATT","device":"/dev/c",\#(body)}"# }
        let decoded = Decoded(
            [
                line(#""heading":274.07"#), line(#""heading":90.0,"pitch":0,"roll":0"#),
                line(#""pitch":1.0"#), line(#""heading":400.0,"pitch":0,"roll":0"#),
            ], clock: clock)
        #expect(decoded.headings.map(\.trueNorth) == [274.07, 90])
        try #require(decoded.attitudes.count == 1)
        // The bow points east: y of the device is x of the world.
        let attitude = decoded.attitudes[0]
        #expect(abs(attitude.w - 0.5.squareRoot()) < 1e-9)
        #expect(abs(attitude.z + 0.5.squareRoot()) < 1e-9)
    }

    @Test("listens to a compass that is another device than the receiver")
    func compass() {
        let heading = #"{"class":"ATT","device":"/dev/compass","heading":12.0,"mheading":10.0}"#
        let decoded = Decoded([Lines.fix(0), heading, Lines.fix(1), heading], clock: clock)
        #expect(decoded.fixes.count == 2)
        #expect(decoded.headings.map(\.trueNorth) == [12, 12])
        #expect(decoded.headings.first?.magneticNorth == 10)
    }

    @Test("takes what is news of an answer to ?POLL, and nothing that gpsd merely remembers")
    func poll() {
        func answer(_ second: Int, _ fixes: [String], _ skies: [String]) -> String {
            #"{"class":"POLL","time":"\#(Lines.time(second))","active":1,"#
                + #""tpv":[\#(fixes.joined(separator: ","))],"gst":[],"#
                + #""sky":[\#(skies.joined(separator: ","))]}"#
        }
        let decoded = Decoded(
            [
                answer(0, [], []), answer(1, [Lines.fix(1)], [Lines.sky(1, count: 3)]),
                Lines.fix(1), answer(2, [Lines.fix(1)], []), Lines.fix(2),
                answer(60, [Lines.fix(2)], [Lines.sky(2, count: 3)]), answer(3, [Lines.fix(1)], []),
            ], clock: clock)
        #expect(decoded.fixes.count == 2)
        #expect(decoded.satellites.count == 1)
        #expect(decoded.rejectedCount == 0)
    }

    @Test("does not take what another gpsd said for gpsd's own word")
    func remote() {
        let decoded = Decoded(
            [
                #"{"class":"VERSION","release":"9.9","remote":"tcp://example"}"#,
                #"{"class":"WATCH","enable":false,"remote":"tcp://example"}"#,
                #"{"class":"DEVICES","devices":[],"remote":"tcp://example"}"#,
            ], clock: clock)
        #expect(decoded.releases.isEmpty)
        #expect(decoded.skipped == 3)
    }

    @Test("minds the departure of its own receiver, and of no other")
    func departures() {
        var decoder = GPSDDecoder(clock: clock)
        _ = decoder.decode(Lines.bytes([Lines.fix(0, device: "/dev/a")]), arrivedAt: clock.now)
        func leaves(_ path: String) -> Int {
            let line = #"{"class":"DEVICE","path":"\#(path)","activated":0}"#
            return decoder.decode(Lines.bytes([line]), arrivedAt: clock.now).count
        }
        #expect(leaves("/dev/b") == 0)
        #expect(leaves("/dev/a") == 2)
    }

    // MARK: Time

    @Test("maps the receiver's time to boot time where it is plausible")
    func plausibleTime() throws {
        let decoded = Decoded([Lines.fix(1)], clock: clock)
        let fix = try #require(decoded.fixes.first)
        #expect(fix.time.source == .device)
        #expect(clock.now.duration(to: fix.instant) == .seconds(1))
        #expect(decoded.diagnostics.isEmpty)
    }

    @Test("stamps an old log on arrival, keeps its time, and says so once")
    func oldLog() throws {
        let decoded = Decoded(
            [100, 101, 102].map { Lines.fix($0 * 60) }, clock: clock)
        #expect(decoded.fixes.allSatisfy { $0.time.source == .arrival && $0.instant == clock.now })
        #expect(
            decoded.fixes.map { $0.time.original?.domain } == [.realtime, .realtime, .realtime])
        #expect(decoded.diagnostics.count == 1)
        #expect(decoded.diagnostics.first?.contains("6000") == true)
    }

    @Test("flags time as untrusted until three 3D fixes have come")
    func trust() {
        let lines = (0..<5).map { Lines.fix($0, mode: $0 == 1 ? 2 : 3) }
        let decoded = Decoded(lines, clock: clock)
        let flags = decoded.fixes.map { $0.flags.contains(.untrustedTime) }
        #expect(flags == [true, true, true, false, false])
    }

    @Test("takes a time that steps back, as in a log that is played in a loop")
    func stepsBack() {
        let decoded = Decoded([0, 1, 2, 0, 1].map { Lines.fix($0) }, clock: clock)
        #expect(decoded.fixes.count == 5)
    }

    @Test("holds a list of satellites back to the one before it, which came without a time")
    func listsInOrder() {
        var decoder = GPSDDecoder(clock: clock)
        var decoded = Decoded()
        let start = clock.now
        let untimed =
            #"{"class":"SKY","device":"/dev/ttyUSB0","satellites":[{"PRN":1,"used":true}]}"#
        for (line, delay) in [(untimed, 300), (Lines.sky(0, count: 2), 320), (Lines.fix(0), 320)] {
            decoded.add(
                decoder.decode(
                    Lines.bytes([line]), arrivedAt: start.advanced(by: .milliseconds(delay))))
        }
        decoded.add(decoder.finish())
        #expect(
            decoded.satellites.map(\.time.instant)
                == [300, 300].map { start.advanced(by: .milliseconds($0)) })
        #expect(decoded.satellites.last?.time.utcNanoseconds == 1_767_225_600_000_000_000)
        #expect(decoded.satellites.last?.time.uncertainty ?? .zero >= .milliseconds(300))
        // Another sensor's readings have an order of their own.
        #expect(decoded.fixes.map(\.time.instant) == [start])
    }
}
