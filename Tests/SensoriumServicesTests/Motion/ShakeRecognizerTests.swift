import Glibc
import Sensorium
import SensoriumServices
import Testing

@Suite("Shake recognizer", .timeLimit(.minutes(1)))
struct ShakeRecognizerTests {
    private func events(_ readings: [Acceleration]) -> [ShakeEvent] {
        var recognizer = ShakeRecognizer()
        return readings.compactMap { recognizer.take($0) }
    }

    private func phases(_ readings: [Acceleration]) -> [ShakeEvent.Phase] {
        events(readings).map(\.phase)
    }

    private let shake = Movement().rest(1).swing(1, frequency: 4, strength: 20).rest(1)

    @Test("the same movement is one shake at every sampling rate, at the same time (GES-01)")
    func rates() throws {
        var onsets: [Double] = []
        for rate in [25.0, 31.25, 50, 100, 200, 400, 1000] {
            for phase in [0, 0.25, 0.5, 0.75] {
                let found = events(shake.sampled(rate, phase: phase, from: 0))
                try #require(
                    found.map(\.phase) == [.began, .ended], "\(rate) Hz, phase \(phase): \(found)")
                onsets.append(Double(found[0].instant.nanoseconds) / 1e9)
                #expect(abs(found[0].strength - 19) < 4, "\(rate) Hz: \(found[0])")
            }
        }
        let (first, last) = (onsets.min() ?? 0, onsets.max() ?? 0)
        #expect(first > 1.2 && last < 1.6)
        #expect(last - first < 0.1)
    }

    @Test("finds the shakes of the field case's files (GES-01)", .enabled(if: FieldCase.areAtHand))
    func fieldRates() throws {
        var onsets: [Int64] = []
        for rate in [25, 50, 100, 200] {
            let found = events(try FieldCase.readings("ges01_shake_\(rate)hz.csv"))
            #expect(found.map(\.phase) == [.began, .ended], "\(rate) Hz: \(found)")
            onsets += found.prefix(1).map(\.instant.nanoseconds)
        }
        try #require(onsets.count == 4)
        #expect((onsets.max() ?? 0) - (onsets.min() ?? 0) < 250_000_000)
    }

    @Test(
        "finds none in a spike or in three samples (GES-01, GES-02)",
        .enabled(if: FieldCase.areAtHand),
        arguments: ["ges02_single_spike.csv", "ges02b_three_samples.csv"])
    func fieldSpikes(file: String) throws {
        #expect(events(try FieldCase.readings(file)).isEmpty)
    }

    @Test("a spike is no shake, however strong and wherever (GES-02)", arguments: [25.0, 50, 200])
    func spike(rate: Double) {
        let still = Movement().rest(2).sampled(rate)
        for place in [0, 1, still.count / 2, still.count - 1] {
            for strength in [24.5, 80, -160] {
                var readings = still
                readings[place].x += strength
                #expect(phases(readings).isEmpty, "\(strength) m/s² at \(place)")
            }
        }
        // Up and at once down again, and a third time.
        var readings = still
        for (step, strength) in [60.0, -60, 60].enumerated() {
            readings[still.count / 2 + step].y += strength
        }
        #expect(phases(readings).isEmpty)
    }

    @Test("too few samples are no shake, whatever they say")
    func fewSamples() {
        for count in 0...3 {
            let readings = shake.sampled(25).dropFirst(25).prefix(count)
            #expect(phases(Array(readings)).isEmpty)
        }
    }

    @Test("a shake may go along any axis, and gravity any way")
    func axes() {
        let half = 0.5.squareRoot()
        for axis in [SIMD3(0.0, 1, 0), SIMD3(0, 0, 1), SIMD3(half, 0, -half)] {
            for up in [SIMD3(0.0, 0, 1), SIMD3(0, 1, 0), SIMD3(-1, 0, 0), SIMD3(half, half, 0)] {
                let movement = Movement().rest(1, up: up)
                    .swing(1, frequency: 5, strength: 22, along: axis, up: up).rest(1, up: up)
                #expect(phases(movement.sampled(100)) == [.began, .ended], "\(axis), \(up)")
            }
        }
    }

    @Test("stirring in circles is a shake, too")
    func circles() {
        let movement = Movement().rest(1).adding(1) { time in
            let angle = 2 * .pi * 4 * time
            return SIMD3(22 * cos(angle), 22 * sin(angle), Movement.gravity)
        }.rest(1)
        #expect(phases(movement.sampled(100)) == [.began, .ended])
    }

    @Test("may begin with the first reading, and end with the last")
    func edges() {
        let movement = Movement().swing(1.5, frequency: 4, strength: 25)
        for phase in [0, 0.3, 0.9] {
            var recognizer = ShakeRecognizer()
            let found = movement.sampled(50, phase: phase).compactMap { recognizer.take($0) }
            #expect(found.map(\.phase) == [.began])
            #expect(recognizer.interrupt()?.phase == .cancelled)
            #expect(recognizer.interrupt() == nil)
        }
    }

    @Test(
        "walking, running, turning, a tap and an engine are none",
        arguments: [50.0, 100, 200])
    func everyday(rate: Double) {
        let walk = Movement().rest(1).adding(5) { time in
            // Two steps a second: up and down, with a hard heel.
            let step = sin(2 * .pi * 2 * time)
            return SIMD3(1, 2 * step, Movement.gravity + 5 * step + 3 * max(0, step))
        }
        #expect(phases(walk.sampled(rate)).isEmpty)
        let run = Movement().rest(1).adding(5) { time in
            // Half of each step in the air, where nothing is felt.
            let share = (time * 2.8).truncatingRemainder(dividingBy: 1)
            return SIMD3(
                0, 0, share < 0.5 ? 2 * .pi * Movement.gravity / 2 * sin(.pi * share / 0.5) : 0)
        }
        #expect(phases(run.sampled(rate)).isEmpty)
        let turn = Movement().rest(1).adding(2) { time in
            let angle = 2 * .pi * time
            return SIMD3(sin(angle), 0, cos(angle)) * Movement.gravity
        }
        #expect(phases(turn.sampled(rate)).isEmpty)
        let engine = Movement().rest(1).swing(3, frequency: 35, strength: 30)
        #expect(phases(engine.sampled(rate)).isEmpty)
        let knocks = (0..<6).reduce(Movement().rest(1)) { movement, _ in
            movement.adding(0.02) { _ in SIMD3(60, 0, Movement.gravity) }.rest(0.3)
        }
        #expect(phases(knocks.sampled(rate)).isEmpty)
    }

    @Test("two shakes with a pause are two, and one that never rests is one")
    func count() {
        let twice = shake.swing(1, frequency: 5, strength: 25).rest(1)
        #expect(phases(twice.sampled(100)) == [.began, .ended, .began, .ended])
        let long = Movement().rest(1).swing(10, frequency: 4, strength: 20).rest(1)
        let found = events(long.sampled(100, from: 0))
        #expect(found.map(\.phase) == [.began, .ended])
        // It ended with its last strong reading, not when that became certain.
        #expect(abs(Double(found.last?.instant.nanoseconds ?? 0) / 1e9 - 11) < 0.1)
    }

    @Test("passes over what is not finite, not in m/s², or not later")
    func badReadings() {
        var readings: [Acceleration] = []
        for reading in shake.sampled(100) {
            readings += [
                reading, reading, reading.with(x: .nan), reading.with(z: -.infinity),
                reading.with(x: 4096, flags: .unscaled),
                reading.with(y: 500, instant: reading.instant.advanced(by: .milliseconds(-5))),
                reading.with(y: 500, instant: SensorInstant(nanoseconds: 0)),
            ]
        }
        var recognizer = ShakeRecognizer()
        let found = readings.compactMap { recognizer.take($0) }
        #expect(found == events(shake.sampled(100)))
        #expect(recognizer.ignoredCount == readings.count / 7 * 6)
    }

    @Test("begins anew when time goes back, as in a replay that loops")
    func timeGoesBack() {
        let once = Movement().rest(1).swing(1, frequency: 4, strength: 20).sampled(100)
        #expect(phases(once + once + once) == [.began, .cancelled, .began, .cancelled, .began])
    }

    @Test("one wild time in the future does not deafen it")
    func wildTime() {
        var readings = shake.sampled(100)
        readings[20] = readings[20].with(
            instant: readings[20].instant.advanced(by: .seconds(86_400)))
        #expect(phases(readings) == [.began, .ended])
    }

    @Test("a gap ends a shake, and what is on both sides of it is not put together")
    func gaps() {
        let readings = shake.sampled(100)
        func without(_ range: Range<Int>) -> [Acceleration] {
            Array(readings[..<range.lowerBound] + readings[range.upperBound...])
        }
        // From the middle of the shake to the middle of the rest after it.
        #expect(phases(without(150..<280)) == [.began, .ended])
        // Two swings, nothing for a while, two swings.
        #expect(phases(without(122..<176)).isEmpty)
        // Single readings that get lost do no harm.
        let thinned = readings.enumerated().filter { $0.offset % 3 != 1 }.map(\.element)
        #expect(phases(thinned) == [.began, .ended])
    }

    @Test("gives a began and an end in turn, and survives, whatever it is fed")
    func anything() {
        var state: UInt64 = 7
        func random() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 16
        }
        let odd = [Double.nan, .infinity, -.infinity, 1e308, -1e308, 0, .leastNonzeroMagnitude]
        for _ in 0..<200 {
            var recognizer = ShakeRecognizer()
            var found: [ShakeEvent.Phase] = []
            var time: Int64 = 1_000_000_000
            for _ in 0..<100 {
                time &+= Int64(random() % 200_000_000) - (random() % 9 == 0 ? 1 << 50 : 0)
                let values = (0..<3).map { _ in
                    random() % 11 == 0
                        ? odd[Int(random() % 7)] : Double(Int(random() % 80)) - 40
                }
                let reading = Acceleration(
                    time: ReadingTime(SensorInstant(nanoseconds: time)), x: values[0],
                    y: values[1], z: values[2])
                if let event = recognizer.take(reading) { found.append(event.phase) }
            }
            if let last = recognizer.interrupt() { found.append(last.phase) }
            for (place, phase) in found.enumerated() {
                #expect((phase == .began) == place.isMultiple(of: 2))
            }
            #expect(found.count.isMultiple(of: 2))
        }
    }
}
