import Glibc
import Sensorium
import SensoriumServices
import Testing

@Suite("Orientation recognizer", .timeLimit(.minutes(1)))
struct OrientationRecognizerTests {
    private func changes(_ readings: [Acceleration]) -> [OrientationChange] {
        var recognizer = OrientationRecognizer()
        return readings.compactMap { recognizer.take($0) }
    }

    private func found(_ readings: [Acceleration]) -> [DeviceOrientation] {
        changes(readings).map(\.orientation)
    }

    /// Upright, turned by degrees to the left.
    private func turned(_ degrees: Double) -> SIMD3<Double> {
        SIMD3(sin(degrees * .pi / 180), cos(degrees * .pi / 180), 0)
    }

    @Test("knows all six ways to hold a device", arguments: DeviceOrientation.allCases)
    func six(orientation: DeviceOrientation) {
        let up = SIMD3(orientation.up.x, orientation.up.y, orientation.up.z)
        #expect(found(Movement().rest(1, up: up).sampled(50)) == [orientation])
    }

    @Test("tells what came before, and when it became certain")
    func change() throws {
        let readings = Movement().rest(1, up: turned(0)).rest(1, up: turned(90))
            .sampled(100, from: 1_000_000_000)
        let all = changes(readings)
        try #require(all.map(\.orientation) == [.portrait, .landscapeLeft])
        #expect(all.map(\.previous) == [nil, .portrait])
        let certain = Double(all[1].instant.nanoseconds) / 1e9
        #expect((2.3...2.6).contains(certain))
        #expect(all[1].description.hasPrefix("portrait to landscape-left at boot+2."))
    }

    @Test("takes the same time at every sampling rate", arguments: [10.0, 25, 100, 400])
    func rates(rate: Double) throws {
        let readings = Movement().rest(2, up: turned(0)).rest(2, up: turned(-90))
            .sampled(rate, from: 1_000_000_000)
        let all = changes(readings)
        try #require(all.map(\.orientation) == [.portrait, .landscapeRight])
        #expect((3.3...3.7).contains(Double(all[1].instant.nanoseconds) / 1e9))
    }

    @Test("works with a reading a second, and with one every two")
    func slow() {
        let movement = Movement().rest(6, up: turned(0)).rest(6, up: turned(180))
        for rate in [1, 0.5] {
            #expect(found(movement.sampled(rate)) == [.portrait, .portraitUpsideDown])
        }
    }

    @Test("does not flip to and fro near a border")
    func hysteresis() {
        // 45° is the border; a hand trembles by 7° about it.
        let trembling = Movement().rest(1, up: turned(0)).adding(10) { time in
            turned(45 + 7 * sin(2 * .pi * 0.7 * time)) * Movement.gravity
        }
        #expect(found(trembling.sampled(50)) == [.portrait])
        let there = Movement().rest(1, up: turned(0)).rest(1, up: turned(60))
            .rest(1, up: turned(40)).rest(1, up: turned(30))
        #expect(found(there.sampled(50)) == [.portrait, .landscapeLeft, .portrait])
    }

    @Test("waits until it is held still: a device that turns on does not stop at every side")
    func settling() {
        let spin = Movement().rest(1, up: turned(0)).adding(1) { time in
            turned(360 * 2 * time) * Movement.gravity
        }.rest(1, up: turned(0))
        #expect(found(spin.sampled(100)) == [.portrait])
        let short = Movement().rest(1, up: turned(0)).rest(0.25, up: turned(90))
            .rest(1, up: turned(0))
        #expect(found(short.sampled(100)) == [.portrait])
    }

    @Test("says nothing as long as no side points up clearly")
    func corner() {
        let third = (1 / 3.0).squareRoot()
        #expect(found(Movement().rest(2, up: SIMD3(third, third, third)).sampled(50)).isEmpty)
    }

    @Test("is not misled by a shake, a fall or saturated values")
    func disturbed() {
        let up = turned(0)
        let shaken = Movement().rest(1, up: up)
            .swing(2, frequency: 4, strength: 25, along: SIMD3(1, 0, 0), up: up).rest(1, up: up)
        #expect(found(shaken.sampled(100)) == [.portrait])
        let fallen = Movement().rest(1, up: up).adding(1) { _ in SIMD3(0.2, 0, 0) }
            .rest(1, up: up)
        #expect(found(fallen.sampled(100)) == [.portrait])
        let cut = Movement().rest(1, up: turned(90)).sampled(50).map { $0.with(flags: .saturated) }
        #expect(found(cut).isEmpty)
    }

    @Test("settles also while its owner walks")
    func walking() {
        let walk = Movement().adding(3) { time in
            let step = sin(2 * .pi * 2 * time)
            return SIMD3(0.5, Movement.gravity + 5 * step, 1.5 * step)
        }
        #expect(found(walk.sampled(50)) == [.portrait])
    }

    @Test("passes over what is not finite, not in m/s², or not later")
    func badReadings() {
        let good = Movement().rest(1, up: turned(0)).rest(1, up: turned(90)).sampled(50)
        var readings: [Acceleration] = []
        for reading in good {
            readings += [
                reading, reading, reading.with(y: .nan), reading.with(flags: .unscaled),
                reading.with(x: 9.8, instant: reading.instant.advanced(by: .milliseconds(-3))),
            ]
        }
        var recognizer = OrientationRecognizer()
        let all = readings.compactMap { recognizer.take($0) }
        #expect(all == changes(good))
        #expect(recognizer.ignoredCount == good.count * 4)
        #expect(recognizer.orientation == .landscapeLeft)
    }

    @Test("a gap is no settling, and time that goes back begins anew")
    func gaps() {
        let before = Movement().rest(1, up: turned(0)).rest(0.1, up: turned(90)).sampled(50)
        let after = Movement().rest(0.1, up: turned(90)).rest(1, up: turned(0))
        let later = after.sampled(50, from: 1_010_000_000_000)
        #expect(found(before + later) == [.portrait])
        let earlier = Movement().rest(1, up: turned(90)).sampled(50, from: 5_000_000_000)
        #expect(found(before + earlier) == [.portrait, .landscapeLeft])
    }

    @Test("forgets what was about to settle when it is interrupted")
    func interrupted() {
        var recognizer = OrientationRecognizer()
        let readings = Movement().rest(0.5, up: turned(0)).sampled(50)
        var all: [OrientationChange] = []
        for (number, reading) in readings.enumerated() {
            if number == 14 { #expect(recognizer.interrupt() == nil) }
            if let change = recognizer.take(reading) { all.append(change) }
        }
        #expect(all.isEmpty)
    }

    @Test("a settle time of nothing needs one reading")
    func atOnce() {
        var limits = OrientationRecognizer.Limits()
        limits.settleTime = .zero
        var recognizer = OrientationRecognizer(limits: limits)
        let readings = Movement().rest(0.01, up: turned(0)).sampled(100)
        #expect(readings.compactMap { recognizer.take($0) }.map(\.orientation) == [.portrait])
    }
}
