import Sensorium
import Testing

@testable import SimulatedPlugin

@Suite("walk", .timeLimit(.minutes(1)))
struct WalkTests {
    @Test("is closed, and the same for the same seed")
    func closed() {
        let walk = Walk(seed: 3)
        let start = walk.moment(after: .zero)
        let end = walk.moment(after: WalkPath.lap)
        #expect(abs(start.latitude - end.latitude) < 1e-9)
        #expect(abs(start.longitude - end.longitude) < 1e-9)
        #expect(abs(start.altitude - end.altitude) < 1e-6)
        #expect(start.latitude == Walk(seed: 3).moment(after: .zero).latitude)
        let elsewhere = Walk(seed: 4).moment(after: .seconds(60))
        #expect(walk.moment(after: .seconds(60)).latitude != elsewhere.latitude)
    }

    @Test("goes at a walker's speed within a park", arguments: 0..<20 as Range<UInt64>)
    func speed(seed: UInt64) {
        let walk = Walk(seed: seed)
        for second in 0..<300 {
            let moment = walk.moment(after: .seconds(second))
            let fix = LocationFix(moment, time: ReadingTime(SensorInstant(nanoseconds: 1)))
            let speed = fix.speed ?? 0
            #expect((0.7...2.0).contains(speed), "seed \(seed), second \(second)")
            #expect((0..<360).contains(fix.course ?? -1))
            #expect(abs(fix.latitude - Walk.Place.default.latitude) < 0.003)
            #expect(abs(fix.longitude - Walk.Place.default.longitude) < 0.003)
            #expect((509...517).contains(moment.altitude))
        }
    }

    @Test("says a velocity that is the change of its position")
    func velocity() {
        let walk = Walk(seed: 7)
        for second in stride(from: 1.0, to: 300, by: 7) {
            let before = walk.moment(after: .seconds(second - 0.05))
            let after = walk.moment(after: .seconds(second + 0.05))
            let now = walk.moment(after: .seconds(second))
            let north = (after.latitude - before.latitude) * 111_200 / 0.1
            let up = (after.altitude - before.altitude) / 0.1
            #expect(abs(north - now.velocity.y) < 0.01)
            #expect(abs(up - now.velocity.z) < 0.001)
        }
    }

    @Test("turns the gyroscope once around in a lap")
    func turning() {
        let walk = Walk(seed: 5)
        var turned = 0.0
        for step in 0..<30_000 {
            turned += walk.moment(after: .milliseconds(step * 10)).turning.z * 0.01
        }
        #expect(abs(abs(turned) - 2 * .pi) < 0.02)
    }

    @Test("pushes the accelerometer up by one g in the mean")
    func gravity() {
        let walk = Walk(seed: 5)
        let forces = (0..<30_000).map { walk.moment(after: .milliseconds($0 * 10)).force }
        let mean = forces.reduce(SIMD3<Double>(), +) / Double(forces.count)
        #expect(abs(mean.z - 9.80) < 0.02)
        #expect(abs(mean.x) < 0.1 && abs(mean.y) < 0.1)
        let highest = forces.map(\.z).max() ?? 0
        #expect((12...13).contains(highest))
    }

    @Test("feels the same strength of the Earth's field whichever way it turns")
    func field() {
        for second in 0..<300 {
            let field = Walk().moment(after: .seconds(second)).magneticField
            let strength = (field * field).sum().squareRoot()
            #expect(abs(strength - 48e-6) < 1e-8)
        }
    }

    @Test("sees satellites that a receiver could see")
    func sky() {
        for seed in 0..<50 as Range<UInt64> {
            let sky = Sky.satellites(seed: seed, seconds: Double(seed) * 1000)
            #expect(sky.count == 12)
            #expect(sky.allSatisfy { (0...90).contains($0.elevation ?? -1) })
            #expect(sky.allSatisfy { (0..<360).contains($0.azimuth ?? -1) })
            #expect(sky.count { $0.isUsed } >= 4)
            #expect(Set(sky.map { "\($0.system == .gps) \($0.number)" }).count == 12)
        }
    }

    @Test("measures at whole periods after the origin, however late it is asked")
    func pace() {
        let origin = SensorInstant(nanoseconds: 1_000_000_007)
        let pace = Pace(origin: origin, rate: 60, maxLatency: .seconds(1))
        #expect(pace.period == 16_666_667)
        #expect(pace.batch == 59)
        let first = pace.next(after: origin)
        #expect(first.nanoseconds == origin.nanoseconds + 16_666_667)
        #expect(pace.next(after: first.advanced(by: .nanoseconds(-1))) == first)
        #expect(pace.next(after: first) == pace.moment(1, after: first))
        #expect(pace.count(from: first, upTo: origin) == 0)
        #expect(pace.count(from: first, upTo: first) == 1)
        #expect(pace.count(from: first, upTo: pace.moment(9, after: first)) == 10)
    }
}
