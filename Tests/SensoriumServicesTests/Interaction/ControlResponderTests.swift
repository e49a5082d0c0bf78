import Sensorium
import SensoriumServices
import SensoriumTestKit
import Testing

@Suite("control responder", .timeLimit(.minutes(1)))
struct ControlResponderTests {
    private let table = HandTable()
    private let button = ControlResponder(
        frame: Rectangle(x: 10, y: 100, width: 40, height: 40))
    private let presses = Collected<Int>()

    init() {
        table.root.add(button)
        button.action = { [presses] in presses.append(1) }
    }

    @Test("a tap presses it, and it is highlighted while the finger is on it")
    func tap() {
        table.touch(.began, 1, 20, 110)
        #expect(button.isHighlighted)
        table.touch(.ended, 1, 20, 110)
        #expect(!button.isHighlighted)
        #expect(presses.all.count == 1)
        #expect(table.log.all.isEmpty)
    }

    @Test("a finger that slides off and back presses it, one that is lifted elsewhere does not")
    func slide() {
        table.touch(.began, 1, 20, 110)
        table.touch(.moved, 1, 90, 110)
        #expect(!button.isHighlighted)
        table.touch(.moved, 1, 25, 110)
        #expect(button.isHighlighted)
        table.touch(.ended, 1, 25, 110)
        #expect(presses.all.count == 1)
        table.touch(.began, 2, 20, 110)
        table.touch(.ended, 2, 90, 110)
        #expect(presses.all.count == 1)
    }

    @Test("a cancelled touch presses nothing")
    func cancelled() {
        table.touch(.began, 1, 20, 110)
        table.touch(.cancelled, 1, 20, 110)
        #expect(presses.all.isEmpty)
        #expect(!button.isHighlighted)
    }

    @Test("one that is disabled swallows touches, also those that began before")
    func disabled() {
        table.touch(.began, 1, 20, 110)
        button.isEnabled = false
        #expect(!button.isHighlighted)
        button.isEnabled = true
        table.touch(.moved, 1, 21, 110)
        table.touch(.ended, 1, 21, 110)
        button.isEnabled = false
        table.tap(2, 20, 110)
        #expect(presses.all.isEmpty)
        #expect(table.log.all.isEmpty)
    }

    @Test("tells subclasses of each change of its highlight")
    func highlight() {
        final class Lamp: ControlResponder {
            var changes: [Bool] = []
            override func highlightChanged() { changes.append(isHighlighted) }
        }
        let lamp = Lamp(frame: Rectangle(x: 60, y: 100, width: 40, height: 40))
        table.root.add(lamp)
        table.touch(.began, 1, 70, 110)
        table.touch(.moved, 1, 71, 110)
        table.touch(.ended, 1, 71, 110)
        #expect(lamp.changes == [true, false])
    }
}
