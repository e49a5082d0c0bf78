import Sensorium
import SensoriumServices
import SensoriumTestKit
import Testing

@Suite("interaction dispatcher", .timeLimit(.minutes(1)))
struct InteractionDispatcherTests {
    private let table = HandTable()

    private var log: [String] { table.log.all }

    @Test("the responder that is hit keeps the touch, in its own coordinates, wherever it goes")
    func keepsTouch() {
        table.touch(.began, 1, 15, 30)
        table.touch(.moved, 1, 70, 30)
        table.touch(.ended, 1, 70, 190)
        #expect(
            log == [
                "left began 5.0,10.0 x1", "left moved 60.0,10.0 x0", "left ended 60.0,170.0 x0",
            ])
        #expect(table.dispatcher.touches.isEmpty)
    }

    @Test("what a responder does not handle goes on to its parent")
    func chain() {
        let plain = Responder(frame: Rectangle(x: 0, y: 0, width: 10, height: 10))
        table.left.add(plain)
        table.left.passesOn = true
        table.tap(1, 12, 22)
        #expect(
            log == [
                "left began 2.0,2.0 x1", "root began 12.0,22.0 x1", "left ended 2.0,2.0 x1",
                "root ended 12.0,22.0 x1",
            ])
    }

    @Test("the fingers of one frame come in one call for each responder")
    func frames() {
        table.root.takesSeveralTouches = true
        table.frame((.began, 1, 5, 5), (.began, 2, 15, 30), (.began, 3, 6, 6))
        table.frame((.moved, 1, 5, 8), (.moved, 3, 6, 9))
        table.frame((.ended, 3, 6, 9), (.ended, 2, 15, 30), (.cancelled, 1, 5, 8))
        #expect(
            log == [
                "root began 5.0,5.0 x1; 6.0,6.0 x1", "left began 5.0,10.0 x1",
                "root moved 5.0,8.0 x1; 6.0,9.0 x1", "root ended 6.0,9.0 x1",
                "left ended 5.0,10.0 x1", "root cancelled 5.0,8.0 x0",
            ])
    }

    @Test("a finger put down in the frame in which another was lifted comes after it")
    func reuseInFrame() {
        // A second finger for a responder that takes one: the first is gone by then.
        table.touch(.began, 1, 15, 30)
        table.frame((.began, 2, 18, 30), (.ended, 1, 15, 30))
        table.touch(.ended, 2, 18, 30)
        #expect(
            log == [
                "left began 5.0,10.0 x1", "left ended 5.0,10.0 x1", "left began 8.0,10.0 x2",
                "left ended 8.0,10.0 x2",
            ])
        #expect(table.dispatcher.statistics.withheld == 0)
    }

    @Test("a touch that begins, moves and ends in one frame does so in this order")
    func wholeTouchInFrame() {
        table.frame((.began, 1, 15, 30), (.moved, 1, 16, 30), (.ended, 1, 16, 31))
        #expect(
            log == ["left began 5.0,10.0 x1", "left moved 6.0,10.0 x1", "left ended 6.0,11.0 x1"])
    }

    @Test("a frame whose end does not come ends when time goes on")
    func lostFrameEnd() {
        table.dispatcher.dispatch([table.event(.began, 1, 15, 30, endsFrame: false)])
        #expect(log.isEmpty)
        table.now += 10
        table.dispatcher.dispatch([table.event(.moved, 1, 16, 30, endsFrame: false)])
        #expect(log == ["left began 5.0,10.0 x1"])
    }

    @Test("a second finger is withheld from a responder that takes one, until the first is gone")
    func severalFingers() {
        table.touch(.began, 1, 15, 30)
        table.touch(.began, 2, 20, 30)
        table.touch(.moved, 2, 21, 30)
        table.touch(.ended, 1, 15, 30)
        table.touch(.moved, 2, 22, 30)
        table.touch(.ended, 2, 22, 30)
        #expect(log == ["left began 5.0,10.0 x1", "left ended 5.0,10.0 x1"])
        #expect(table.dispatcher.statistics.withheld == 1)
        #expect(table.dispatcher.statistics.ignored == 0)
        table.left.takesSeveralTouches = true
        table.touch(.began, 3, 15, 30)
        table.touch(.began, 4, 20, 30)
        #expect(table.dispatcher.touches.count == 2)
    }

    @Test("an exclusive responder shares the surface with nobody")
    func exclusive() {
        table.left.isExclusive = true
        table.touch(.began, 1, 15, 30)
        table.touch(.began, 2, 65, 30)
        table.touch(.ended, 1, 15, 30)
        table.touch(.ended, 2, 65, 30)
        table.touch(.began, 3, 65, 30)
        table.touch(.began, 4, 15, 30)
        #expect(
            log == ["left began 5.0,10.0 x1", "left ended 5.0,10.0 x1", "right began 5.0,10.0 x1"])
        #expect(table.dispatcher.statistics.withheld == 2)
    }

    @Test("the very edge of the surface is still on it, and beyond it is the edge")
    func surfaceEdge() {
        table.touch(.began, 1, 100, 200)
        table.touch(.moved, 1, 150, -20)
        #expect(log == ["root began 100.0,200.0 x1", "root moved 100.0,0.0 x0"])
        #expect(table.dispatcher.statistics.missed == 0)
    }

    @Test("a touch where no responder is goes to nobody, and is counted")
    func missed() {
        table.root.takesTouches = false
        table.tap(1, 15, 30)
        #expect(log.isEmpty)
        #expect(table.dispatcher.statistics.missed == 1)
        #expect(table.dispatcher.statistics.ignored == 0)
    }

    @Test("events that fit no touch, and places that are no number, do nothing and are counted")
    func nonsense() {
        table.touch(.moved, 7, 15, 30)
        table.touch(.ended, 7, 15, 30)
        table.touch(.cancelled, 7, 15, 30)
        table.touch(.began, 8, .nan, 30)
        #expect(log.isEmpty)
        #expect(table.dispatcher.statistics.ignored == 4)
        table.touch(.began, 9, 15, 30)
        table.touch(.moved, 9, .infinity, 30)
        table.touch(.ended, 9, .nan, 30)
        #expect(log == ["left began 5.0,10.0 x1", "left ended 5.0,10.0 x1"])
        #expect(table.dispatcher.statistics.ignored == 5)
    }

    @Test("a touch that begins twice has lost its end, and is cancelled first")
    func beginsTwice() {
        table.touch(.began, 1, 15, 30)
        table.touch(.began, 1, 65, 30)
        #expect(
            log == [
                "left began 5.0,10.0 x1", "left cancelled 5.0,10.0 x0", "right began 5.0,10.0 x1",
            ])
        #expect(table.dispatcher.statistics.cancelled == [.sensor: 1])
    }

    @Test("an event has all touches of the surface, and those of each responder")
    func allTouches() {
        final class Counter: Responder {
            var seen: [(all: Int, own: Int)] = []
            override func touchesBegan(_ touches: [Touch], with event: InteractionEvent) {
                seen.append((event.touches.count, event.touches(of: self).count))
            }
        }
        let counter = Counter(frame: Rectangle(x: 0, y: 100, width: 100, height: 100))
        counter.takesSeveralTouches = true
        table.root.add(counter)
        table.touch(.began, 1, 15, 30)
        table.touch(.began, 2, 50, 150)
        table.touch(.began, 3, 60, 150)
        #expect(counter.seen.map(\.all) == [2, 3])
        #expect(counter.seen.map(\.own) == [1, 2])
    }
}
