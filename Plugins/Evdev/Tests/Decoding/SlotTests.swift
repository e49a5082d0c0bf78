import EvdevPlugin
import Sensorium
import Testing

@Suite("Screens with slots", .timeLimit(.minutes(1)))
struct SlotTests {
    @Test("a finger lifted and another put down in the same slot in one frame are two (TCH-01)")
    func reuse() {
        var screen = Screen()
        screen.play(.slot(0), .id(2497), .x(10000), .y(10000), .button(1), .report)
        #expect(screen.news() == ["began 1 (10000, 10000)"])
        screen.play(.id(-1), .id(2498), .x(24232), .y(13443), .report)
        #expect(screen.news() == ["ended 1 (10000, 10000)", "began 2 (24232, 13443)"])
        #expect(screen.events.suffix(2).map(\.endsFrame) == [false, true])
        #expect(Set(screen.events.suffix(2).map(\.instant)).count == 1)
        screen.play(.id(-1), .button(0), .report)
        #expect(screen.news() == ["ended 2 (24232, 13443)"])
    }

    @Test("a new id without an end of the old one is another finger, too")
    func replaced() {
        var screen = Screen()
        screen.play(.id(5), .x(1), .y(2), .report, .id(6), .x(30), .report)
        #expect(screen.told == ["began 1 (1, 2)", "ended 1 (1, 2)", "began 2 (30, 2)"])
    }

    @Test("any id from 0 on is a touch (TCH-02)", arguments: [0, 9, 398, 65535, Int32.max])
    func ids(id: Int32) {
        var screen = Screen()
        screen.play(.id(id), .x(100), .y(200), .report, .id(-1), .report)
        #expect(screen.told == ["began 1 (100, 200)", "ended 1 (100, 200)"])
    }

    @Test("a finger that is down at the start begins there, where the kernel says so (TCH-02)")
    func startedWhileTouching() {
        var screen = Screen()
        screen.resync(
            InputState(slots: [.init(trackingID: 5, x: 39000, y: 19000)], currentSlot: 0))
        #expect(screen.news() == ["began 1 (39000, 19000)"])
        screen.play(.x(40000), .y(20000), .report, .id(-1), .button(0), .report)
        #expect(screen.news() == ["moved 1 (40000, 20000)", "ended 1 (40000, 20000)"])
        screen.play(.id(12), .x(1000), .y(2000), .report, .id(-1), .report)
        #expect(screen.news() == ["began 2 (1000, 2000)", "ended 2 (1000, 2000)"])
    }

    @Test("a finger of which nobody knows is nothing, and neither is its end (TCH-02)")
    func unknownFinger() {
        var screen = Screen()
        screen.play(.x(40000), .y(20000), .report, .x(41000), .report, .id(-1), .report)
        #expect(screen.news() == [])
        screen.play(.id(12), .x(1000), .y(2000), .report, .id(-1), .report)
        #expect(screen.news() == ["began 1 (1000, 2000)", "ended 1 (1000, 2000)"])
    }

    @Test("a slot keeps its place for the next finger, since only changes are told")
    func keptPlace() {
        var screen = Screen()
        screen.resync(InputState(slots: [.init(trackingID: -1, x: 700, y: 800)]))
        screen.play(.id(3), .report, .id(-1), .report, .id(4), .y(900), .report)
        #expect(
            screen.told == ["began 1 (700, 800)", "ended 1 (700, 800)", "began 2 (700, 900)"])
    }

    @Test("a touch begins when both of its coordinates are known")
    func latePlace() {
        var screen = Screen()
        screen.play(.id(3), .x(5), .report)
        #expect(screen.news() == [])
        screen.play(.y(6), .report)
        #expect(screen.news() == ["began 1 (5, 6)"])
    }

    @Test("a tap of less than a frame begins and ends")
    func shortTap() {
        var screen = Screen()
        screen.play(.id(3), .x(5), .y(6), .id(-1), .report)
        #expect(screen.told == ["began 1 (5, 6)", "ended 1 (5, 6)"])
    }

    @Test("what is not told is as it was, and so is the slot (TCH-06)")
    func partial() {
        var screen = Screen(max: 4095)
        screen.play(
            .slot(0), .id(20), .x(100), .y(200), .slot(1), .id(21), .x(1000), .y(1100), .report)
        _ = screen.news()
        screen.play(.x(1010), .report)
        #expect(screen.news() == ["moved 2 (1010, 1100)"])
        screen.play(.slot(0), .y(210), .report)
        #expect(screen.news() == ["moved 1 (100, 210)"])
        screen.play(.x(110), .slot(1), .y(1120), .report)
        #expect(screen.news() == ["moved 1 (110, 210)", "moved 2 (1010, 1120)"])
        screen.play(.id(-1), .report, .slot(0), .id(-1), .report)
        #expect(screen.news() == ["ended 2 (1010, 1120)", "ended 1 (110, 210)"])
    }

    @Test("after an overflow, what the kernel says is true, and events go on in its slot (TCH-05a)")
    func dropped() {
        var screen = Screen(max: 4095)
        screen.play(.id(1), .x(10), .y(10), .report)
        _ = screen.news()
        screen.state = InputState(
            slots: [.init(trackingID: 1, x: 12, y: 15), .init(trackingID: 2, x: 500, y: 600)],
            currentSlot: 1)
        screen.play(.x(12), .dropped, .y(15), .slot(1), .id(2), .report)
        #expect(screen.news() == ["moved 1 (12, 15)", "began 2 (500, 600)"])
        screen.play(.x(11), .report)
        #expect(screen.news() == ["moved 2 (11, 600)"])
        screen.play(.id(-1), .report, .slot(0), .id(-1), .report)
        #expect(screen.news() == ["ended 2 (11, 600)", "ended 1 (12, 15)"])
    }

    @Test("a touch whose end was lost is cancelled (TCH-05b)")
    func lostEnd() {
        var screen = Screen(max: 4095)
        screen.play(.id(1), .x(10), .y(10), .report)
        screen.state = InputState(slots: [.init(trackingID: -1, x: 30, y: 10)])
        screen.play(.dropped, .x(30), .report)
        #expect(screen.news() == ["began 1 (10, 10)", "cancelled 1 (10, 10)"])
        screen.play(.id(7), .x(900), .y(901), .report, .id(-1), .report)
        #expect(screen.news() == ["began 2 (900, 901)", "ended 2 (900, 901)"])
    }

    @Test("a touch that became another one in an overflow is cancelled, and the other begins")
    func otherFinger() {
        var screen = Screen(max: 4095)
        screen.play(.id(1), .x(10), .y(10), .report)
        screen.state = InputState(slots: [.init(trackingID: 2, x: 40, y: 50)])
        screen.play(.dropped, .report)
        #expect(screen.told == ["began 1 (10, 10)", "cancelled 1 (10, 10)", "began 2 (40, 50)"])
    }

    @Test("a palm is no touch, and a touch that turns out to be one is cancelled (TCH-09)")
    func palm() {
        var screen = Screen(max: 4095)
        screen.play(.slot(0), .id(1), .tool(0), .x(1000), .y(1000), .report)
        screen.play(.tool(2), .x(1010), .report)
        #expect(screen.news() == ["began 1 (1000, 1000)", "cancelled 1 (1010, 1000)"])
        screen.play(.slot(1), .id(2), .x(2000), .y(2000), .report, .id(-1), .report)
        #expect(screen.news() == ["began 2 (2000, 2000)", "ended 2 (2000, 2000)"])
        screen.play(.slot(0), .x(1020), .report, .tool(0), .x(1030), .report, .id(-1), .report)
        #expect(screen.news() == [])
        screen.play(.id(3), .tool(2), .report, .id(-1), .report)
        #expect(screen.news() == [])
        screen.play(.id(4), .tool(0), .report, .tool(2), .id(-1), .report)
        #expect(screen.news() == ["began 3 (1030, 1000)", "cancelled 3 (1030, 1000)"])
    }

    @Test("the tool of each slot is its own, and a finger unless it is told (TCH-09)")
    func tools() {
        var screen = Screen(max: 4095)
        screen.play(
            .slot(0), .id(1), .tool(1), .x(1), .y(1), .slot(1), .id(2), .x(9), .y(9), .report)
        #expect(screen.events.map(\.tool) == [.pen, .finger])
    }

    @Test("pressure runs from 0 to 1, and is nil where a screen has none")
    func pressure() {
        var screen = Screen(pressure: AxisRange(10, 110))
        screen.play(.id(1), .x(1), .y(1), .pressure(60), .report, .pressure(500), .report)
        #expect(screen.events.map(\.pressure) == [0.5, 1])
        var other = Screen()
        other.play(.id(1), .x(1), .y(1), .pressure(60), .report)
        #expect(other.events.map(\.pressure) == [nil])
    }

    @Test("events for a slot that cannot be are left out, and counted")
    func slotBeyond() {
        var screen = Screen(.slots(2))
        screen.play(.slot(0), .id(1), .x(1), .y(1), .slot(2), .id(9), .x(5), .report)
        screen.play(
            .slot(-7), .id(9), .report, .slot(.max), .x(3), .report, .slot(0), .x(2), .report)
        #expect(screen.told == ["began 1 (1, 1)", "moved 1 (2, 1)"])
        #expect(screen.nonsense == 3)
    }

    @Test("all touches are cancelled when the device goes")
    func gone() {
        var screen = Screen()
        screen.play(.id(1), .x(1), .y(1), .slot(1), .id(2), .x(2), .y(2), .report)
        _ = screen.news()
        screen.decoder.cancelAll()
        screen.hear()
        #expect(screen.news() == ["cancelled 1 (1, 1)", "cancelled 2 (2, 2)"])
        #expect(screen.decoder.touchCount == 0)
    }
}
