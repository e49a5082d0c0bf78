import EvdevPlugin
import Sensorium
import Testing

@Suite("Screens that list contacts in each frame", .timeLimit(.minutes(1)))
struct ListTests {
    private func frame(_ places: (Int32, Int32)...) -> [InputEvent] {
        (places.isEmpty ? [.contact] : places.flatMap { [.x($0.0), .y($0.1), .contact] })
            + [.report]
    }

    @Test("a contact begins, moves and ends when a frame is empty")
    func one() {
        var screen = Screen(.lists, max: 4095)
        screen.play(frame((100, 200)))
        screen.play(frame((110, 200)))
        screen.play(frame())
        #expect(screen.told == ["began 1 (100, 200)", "moved 1 (110, 200)", "ended 1 (110, 200)"])
    }

    @Test("contacts are the same whatever the order in which they are listed")
    func order() {
        var screen = Screen(.lists, max: 4095)
        screen.play(frame((100, 100), (3000, 3000)))
        _ = screen.news()
        screen.play(frame((3010, 3000), (110, 100)))
        #expect(screen.news() == ["moved 1 (110, 100)", "moved 2 (3010, 3000)"])
        screen.play(frame((3020, 3000)))
        #expect(screen.news() == ["ended 1 (110, 100)", "moved 2 (3020, 3000)"])
        screen.play(frame((3030, 3000), (120, 100)))
        #expect(screen.news() == ["moved 2 (3030, 3000)", "began 3 (120, 100)"])
    }

    @Test("a contact far away from the last one is another")
    func jump() {
        var screen = Screen(.lists, max: 4095)
        screen.play(frame((100, 100)))
        screen.play(frame((4000, 4000)))
        #expect(
            screen.told == ["began 1 (100, 100)", "ended 1 (100, 100)", "began 2 (4000, 4000)"])
    }

    @Test("tracking ids have the last word where there are some")
    func tracked() {
        var screen = Screen(.lists, max: 4095)
        screen.play(.id(7), .x(100), .y(100), .contact, .report)
        screen.play(.id(7), .x(4000), .y(4000), .contact, .report)
        screen.play(.id(8), .x(4000), .y(4000), .contact, .report)
        #expect(
            screen.told == [
                "began 1 (100, 100)", "moved 1 (4000, 4000)", "ended 1 (4000, 4000)",
                "began 2 (4000, 4000)",
            ])
    }

    @Test("the button that goes up ends all, and a frame about something else ends nothing")
    func button() {
        var screen = Screen(.lists, max: 4095)
        screen.play(frame((100, 100)))
        screen.play(.key(164, 1), .report)
        #expect(screen.news() == ["began 1 (100, 100)"])
        screen.play(.button(0), .report)
        #expect(screen.news() == ["ended 1 (100, 100)"])
    }

    @Test("an overflow cancels what was there, and the next frame begins anew")
    func dropped() {
        var screen = Screen(.lists, max: 4095)
        screen.play(frame((100, 100)))
        screen.play(.dropped, .x(1), .contact, .report)
        screen.play(frame((120, 100)))
        #expect(
            screen.told == ["began 1 (100, 100)", "cancelled 1 (100, 100)", "began 2 (120, 100)"])
    }

    @Test("a palm is cancelled, as on other screens")
    func palm() {
        var screen = Screen(.lists, max: 4095)
        screen.play(frame((100, 100)))
        screen.play(.x(101), .y(100), .tool(2), .contact, .report)
        screen.play(frame((102, 100)))
        screen.play(frame())
        #expect(screen.told == ["began 1 (100, 100)", "cancelled 1 (101, 100)"])
    }
}

@Suite("Screens for one finger", .timeLimit(.minutes(1)))
struct SingleTests {
    @Test("the button begins and ends a touch")
    func button() {
        var screen = Screen(.single, max: 4095)
        screen.play(.singleX(5), .singleY(6), .report)
        #expect(screen.news() == [])
        screen.play(.button(1), .report, .singleX(7), .report, .button(0), .report)
        #expect(screen.news() == ["began 1 (5, 6)", "moved 1 (7, 6)", "ended 1 (7, 6)"])
        screen.play(.button(1), .singleX(9), .report, .button(0), .report)
        #expect(screen.news() == ["began 2 (9, 6)", "ended 2 (9, 6)"])
    }

    @Test("a pen is told from a finger")
    func pen() {
        var screen = Screen(.single, max: 4095)
        screen.play(.pen(1), .button(1), .singleX(5), .singleY(6), .report)
        #expect(screen.events.map(\.tool) == [.pen])
    }

    @Test(
        "a finger that is down at the start begins; one that was lifted in an overflow is cancelled"
    )
    func resync() {
        var screen = Screen(.single, max: 4095)
        screen.resync(InputState(axes: [0: 30, 1: 40], keys: [0x14a]))
        #expect(screen.news() == ["began 1 (30, 40)"])
        screen.state = InputState(axes: [0: 31, 1: 40], keys: [0x14a])
        screen.play(.dropped, .report)
        #expect(screen.news() == ["moved 1 (31, 40)"])
        screen.state = InputState(axes: [0: 31, 1: 40])
        screen.play(.dropped, .report)
        #expect(screen.news() == ["cancelled 1 (31, 40)"])
    }
}

@Suite("Keys", .timeLimit(.minutes(1)))
struct KeyTests {
    private func told(
        _ choice: KeyDecoder.Choice, _ events: [InputEvent], then state: InputState = InputState()
    ) -> [String] {
        var decoder = KeyDecoder(choice)
        var told: [String] = []
        for event in events {
            switch decoder.take(event) {
            case .more: continue
            case .frame: break
            case .mustResync: decoder.resync(to: state)
            }
            told += decoder.readings.map { "\($0.code) \($0.phase)" }
            decoder.clear()
        }
        decoder.cancelAll()
        return told + decoder.readings.map { "gone \($0.code) \($0.phase)" }
    }

    @Test("the keys of a remote control are told, and no others")
    func media() {
        let events: [InputEvent] = [
            .key(30, 1), .key(164, 1), .report, .key(164, 2), .report, .key(164, 0), .report,
        ]
        #expect(told(.media, events) == ["164 pressed", "164 repeated", "164 released"])
    }

    @Test("all keys are told to who asks for them, but not the buttons of mice and screens")
    func all() {
        let events: [InputEvent] = [.key(30, 1), .key(0x110, 1), .key(0x14a, 1), .report]
        #expect(told(.all, events) == ["30 pressed", "gone 30 released"])
    }

    @Test("a key that was held before is nothing, and an overflow releases what is up by now")
    func held() {
        let events: [InputEvent] = [
            .key(115, 2), .report, .key(115, 0), .report, .key(113, 1), .report, .dropped,
            .key(113, 0), .report,
        ]
        #expect(told(.media, events) == ["113 pressed", "113 released"])
    }
}
