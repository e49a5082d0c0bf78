import Sensorium
import SensoriumServices
import SensoriumTestKit
import Testing

@Suite("first responder", .timeLimit(.minutes(1)))
struct FirstResponderTests {
    private let table = HandTable()
    private let instant = SensorInstant(nanoseconds: 1)

    private var log: [String] { table.log.all }

    @Test("the keys of a remote control become commands, once for each press")
    func commands() {
        for key in [RemoteKey.playPause, .nextTrack, .headsetButton] {
            for phase in [KeyEvent.Phase.pressed, .repeated, .repeated, .released] {
                table.press(key, phase)
            }
        }
        #expect(log == ["root togglePlayPause", "root nextTrack", "root togglePlayPause"])
        #expect(table.dispatcher.statistics.commands == 3)
    }

    @Test("every key has a meaning")
    func allKeys() {
        for key in RemoteKey.allCases { table.press(key, .pressed) }
        #expect(table.dispatcher.statistics.commands == RemoteKey.allCases.count)
    }

    @Test("volume keys repeat, and seeking lasts until the key is let go")
    func holding() {
        for phase in [KeyEvent.Phase.pressed, .repeated, .released] {
            table.press(.volumeUp, phase)
            table.press(.fastForward, phase)
        }
        #expect(
            log == [
                "root volumeUp", "root beginSeekingForward", "root volumeUp again",
                "root endSeekingForward",
            ])
    }

    @Test("other keys, and keys let go that were not pressed, do nothing and are counted")
    func otherKeys() {
        table.press(.rewind, .released)
        table.dispatcher.dispatch(KeyEvent(time: ReadingTime(instant), code: 30, phase: .pressed))
        #expect(log.isEmpty)
        #expect(table.dispatcher.statistics.otherKeys == 2)
    }

    @Test("who was told that a shake began is told its end, whoever is first by then")
    func shake() {
        table.dispatcher.firstResponder = table.left
        table.dispatcher.motionBegan(.shake, at: instant)
        table.dispatcher.firstResponder = table.right
        table.dispatcher.motionEnded(.shake, at: instant)
        table.dispatcher.motionEnded(.shake, at: instant)
        table.press(.play, .pressed)
        #expect(log == ["left shake began", "left shake ended", "right play"])
    }

    @Test("a first responder that leaves the tree has its shake cancelled, and the root follows")
    func removal() {
        table.dispatcher.firstResponder = table.left
        table.dispatcher.motionBegan(.shake, at: instant)
        table.left.remove()
        table.press(.play, .pressed)
        table.dispatcher.motionEnded(.shake, at: instant)
        #expect(log == ["left shake began", "left shake cancelled", "root play"])
    }

    @Test("what the first responder does not handle goes on to its parent")
    func chain() {
        let plain = Responder(frame: Rectangle(x: 0, y: 0, width: 1, height: 1))
        table.left.add(plain)
        table.dispatcher.firstResponder = plain
        table.press(.stop, .pressed)
        table.dispatcher.motionBegan(.shake, at: instant)
        table.dispatcher.motionCancelled(.shake, at: instant)
        #expect(log == ["left stop", "left shake began", "left shake cancelled"])
    }
}
