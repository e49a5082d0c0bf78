import Sensorium
import SensoriumServices
import SensoriumTestKit
import Testing

@Suite("tap count", .timeLimit(.minutes(1)))
struct TapCountTests {
    private let table = HandTable()

    private var counts: [Int] {
        table.log.all.filter { $0.contains("ended") }.compactMap { line in
            line.split(separator: "x").last.flatMap { Int($0) }
        }
    }

    @Test("taps at one place in quick succession are counted on")
    func succession() {
        for touch in 1...3 {
            table.tap(touch, 15 + Double(touch), 30)
            table.now += 100
        }
        #expect(counts == [1, 2, 3])
        #expect(table.log.all.filter { $0.contains("began") }.last == "left began 8.0,10.0 x3")
        #expect(table.dispatcher.statistics.taps == 3)
    }

    @Test("a tap that comes too late begins anew", arguments: [(350, 2), (351, 1)])
    func late(pause: Int64, count: Int) {
        table.tap(1, 15, 30)
        table.now += pause
        table.tap(2, 15, 30)
        #expect(counts == [1, count])
    }

    @Test("a tap that is too far away begins anew", arguments: [(4.9, 2), (5.1, 1)])
    func far(distance: Double, count: Int) {
        table.tap(1, 15, 30)
        table.now += 50
        table.tap(2, 15 + distance, 30)
        #expect(counts == [1, count])
    }

    @Test("a tap on another responder begins anew")
    func otherResponder() {
        table.tap(1, 39, 30)
        table.now += 50
        table.tap(2, 41, 30)
        #expect(counts == [1, 1])
    }

    @Test("a finger that stays too long is no tap", arguments: [(500, 1), (501, 0)])
    func held(duration: Int64, count: Int) {
        table.tap(1, 15, 30, for: duration)
        #expect(counts == [count])
    }

    @Test("a finger that went too far is no tap, also if it comes back")
    func away() {
        table.touch(.began, 1, 15, 30)
        table.touch(.moved, 1, 25, 30)
        table.touch(.moved, 1, 15, 30)
        table.touch(.ended, 1, 15, 30)
        table.now += 50
        table.tap(2, 15, 30)
        #expect(counts == [0, 1])
    }

    @Test("two fingers that tap twice count each on its own")
    func twoFingers() {
        table.left.takesSeveralTouches = true
        for pair in 0..<2 {
            table.frame((.began, pair * 2, 15, 30), (.began, pair * 2 + 1, 30, 30))
            table.now += 40
            table.frame((.ended, pair * 2, 15, 30), (.ended, pair * 2 + 1, 30, 30))
            table.now += 100
        }
        #expect(table.log.all.last == "left ended 5.0,10.0 x2; 20.0,10.0 x2")
    }

    @Test("an app can have limits of its own")
    func ownLimits() {
        table.dispatcher.tapLimits = TapLimits(
            duration: .seconds(2), pause: .seconds(1), distance: 0.2)
        table.tap(1, 15, 30, for: 1500)
        table.now += 900
        table.tap(2, 30, 30)
        #expect(counts == [1, 2])
    }
}
