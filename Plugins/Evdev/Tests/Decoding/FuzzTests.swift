import EvdevPlugin
import Sensorium
import SensoriumTestKit
import Testing

@Suite("Hostile events", .timeLimit(.minutes(1)))
struct FuzzTests {
    @Test(
        "every touch begins once, ends once and stays on the surface, whatever comes",
        arguments: [TouchLayout.Style.slots(3), .lists, .single])
    func anything(style: TouchLayout.Style) {
        for seed in 0..<40 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let matrix = TouchTransform.Matrix("1.5 0.2 -0.1 -0.3 0.9 0.4") ?? .identity
            var screen = Screen(
                style, max: 1000, pressure: AxisRange(0, 100), seed % 2 == 0 ? .identity : matrix)
            for _ in 0..<3000 {
                if Int.random(in: 0..<200, using: &generator) == 0 {
                    screen.state = state(&generator)
                }
                screen.play(event(&generator))
            }
            screen.decoder.cancelAll()
            screen.hear()
            check(screen.events)
        }
    }

    private func event(_ generator: inout SeededGenerator) -> InputEvent {
        let near = Int32.random(in: 0...1000, using: &generator)
        let value: Int32 =
            switch Int.random(in: 0..<8, using: &generator) {
            case 0: -1
            case 1: [.min, .max, 0, 1, 2].randomElement(using: &generator) ?? 0
            case 2, 3: near % 4
            default: near
            }
        let codes: [UInt16] = [0, 1, 0x18, 0x2f, 0x35, 0x36, 0x37, 0x39, 0x3a, 0x3b]
        return switch Int.random(in: 0..<20, using: &generator) {
        case 0: InputEvent(.random(in: 0...UInt16.max, using: &generator), 0, value)
        case 1: .dropped
        case 2, 3: .button(value & 1)
        case 4, 5: .contact
        case 6, 7, 8: .report
        case 9: .pen(value & 1)
        case 10: .id(value)
        default: InputEvent(3, codes.randomElement(using: &generator) ?? 0, value)
        }
    }

    private func state(_ generator: inout SeededGenerator) -> InputState {
        let count = Int.random(in: 0...5, using: &generator)
        return InputState(
            slots: (0..<count).map { _ in
                .init(
                    trackingID: .random(in: -3...9, using: &generator),
                    x: .random(in: .min ... .max, using: &generator), y: 4,
                    tool: .random(in: 0...3, using: &generator))
            },
            currentSlot: .random(in: -2...6, using: &generator),
            axes: [0: .random(in: .min ... .max, using: &generator)],
            keys: Bool.random(using: &generator) ? [0x14a] : [])
    }

    private func check(_ events: [TouchEvent]) {
        var down: Set<Int> = []
        var last = 0
        for event in events {
            if event.phase == .began {
                #expect(event.touch == last + 1)
                last = event.touch
                down.insert(event.touch)
            } else {
                #expect(down.contains(event.touch))
            }
            if event.phase == .ended || event.phase == .cancelled { down.remove(event.touch) }
            #expect((0...1).contains(event.x) && (0...1).contains(event.y))
            #expect(event.pressure.map { (0...1).contains($0) } ?? true)
        }
        #expect(down.isEmpty)
        for (event, next) in zip(events, events.dropFirst()) {
            #expect(event.endsFrame == (next.instant != event.instant))
        }
    }
}
