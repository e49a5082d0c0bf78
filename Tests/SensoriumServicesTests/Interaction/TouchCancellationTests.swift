import Sensorium
import SensoriumServices
import SensoriumTestKit
import Testing

@Suite("touch cancellation", .timeLimit(.minutes(1)))
struct TouchCancellationTests {
    private let table = HandTable()

    private var log: [String] { table.log.all }

    @Test("a responder that leaves the tree has its touches cancelled, and its parts theirs")
    func removal() {
        let inner = RecordingResponder(
            "inner", Rectangle(x: 0, y: 0, width: 10, height: 10), log: table.log)
        table.left.add(inner)
        table.touch(.began, 1, 12, 22)
        table.touch(.began, 2, 30, 60)
        table.touch(.began, 3, 65, 30)
        table.left.remove()
        table.touch(.moved, 1, 13, 22)
        table.touch(.ended, 1, 13, 22)
        table.touch(.ended, 2, 30, 60)
        table.touch(.ended, 3, 65, 30)
        #expect(
            log.dropFirst(3) == [
                "inner cancelled 2.0,2.0 x0", "left cancelled 20.0,40.0 x0",
                "right ended 5.0,10.0 x1",
            ])
        #expect(table.dispatcher.statistics.cancelled == [.responderRemoved: 2])
        #expect(table.dispatcher.statistics.ignored == 0)
    }

    @Test("a responder that is removed by a call of the same frame is told nothing it cannot know")
    func removalInFrame() {
        table.left.whenBegan = { [right = table.right] in right.remove() }
        table.frame((.began, 1, 15, 30), (.began, 2, 65, 30))
        #expect(log == ["left began 5.0,10.0 x1"])
        #expect(table.dispatcher.touches.count == 1)
        table.frame((.ended, 1, 15, 30), (.ended, 2, 65, 30))
        #expect(log == ["left began 5.0,10.0 x1", "left ended 5.0,10.0 x1"])
    }

    @Test("a touch whose end is in the frame that removes its responder is cancelled, not ended")
    func removalBeforeEnd() {
        final class Remover: Responder {
            var victim: Responder?
            override func touchesEnded(_ touches: [Touch], with event: InteractionEvent) {
                victim?.remove()
            }
        }
        let remover = Remover(frame: Rectangle(x: 0, y: 100, width: 50, height: 50))
        remover.victim = table.left
        table.root.add(remover)
        table.frame((.began, 1, 10, 110), (.began, 2, 15, 30))
        table.frame((.ended, 1, 10, 110), (.ended, 2, 15, 30))
        #expect(log.dropFirst() == ["left began 5.0,10.0 x1", "left cancelled 5.0,10.0 x0"])
        #expect(table.dispatcher.touches.isEmpty)
    }

    @Test("an app that cancels all touches hears no more of these fingers")
    func byApp() {
        table.touch(.began, 1, 15, 30)
        table.dispatcher.cancelTouches()
        table.touch(.moved, 1, 16, 30)
        table.touch(.ended, 1, 16, 30)
        #expect(log == ["left began 5.0,10.0 x1", "left cancelled 5.0,10.0 x0"])
        #expect(table.dispatcher.statistics.cancelled == [.app: 1])
        table.tap(2, 15, 30)
        #expect(log.last == "left ended 5.0,10.0 x1")
    }

    // TCH-05, second part: the release was lost, and the sensor makes up a cancellation.
    @Test("a touch that ends by a cancellation is no tap, and no first half of a double tap")
    func lostRelease() {
        table.touch(.began, 1, 15, 30)
        table.touch(.cancelled, 1, 15, 30)
        table.now += 50
        table.tap(7, 15, 30)
        #expect(
            log == [
                "left began 5.0,10.0 x1", "left cancelled 5.0,10.0 x0", "left began 5.0,10.0 x1",
                "left ended 5.0,10.0 x1",
            ])
        #expect(table.dispatcher.statistics.taps == 1)
    }

    // TCH-09: touch 1 turns out to be a palm while touch 2 taps.
    @Test("a palm beside a finger that taps is cancelled, and the finger gives one tap")
    func palm() {
        table.touch(.began, 1, 65, 30)
        table.touch(.began, 2, 15, 30)
        table.now += 20
        table.touch(.cancelled, 1, 65, 31)
        table.touch(.ended, 2, 15, 30)
        #expect(
            log.dropFirst(2) == ["right cancelled 5.0,10.0 x0", "left ended 5.0,10.0 x1"])
        #expect(table.dispatcher.statistics.taps == 1)
        #expect(table.dispatcher.statistics.cancelled == [.sensor: 1])
    }
}
