import Sensorium
import SensoriumServices
import SensoriumTestKit
import Testing

/// Whatever comes, and whatever responders do meanwhile: no touch without an end, no end without a
/// beginning, and every touch accounted for.
@Suite("interaction dispatcher, any input", .timeLimit(.minutes(1)))
struct InteractionFuzzTests {
    /// Keeps the books of its touches, and sometimes meddles with the tree.
    private final class Bookkeeper: Responder {
        var held: Set<Touch> = []
        var complaints: [String] = []
        var meddle: (() -> Void)?

        override func touchesBegan(_ touches: [Touch], with event: InteractionEvent) {
            for touch in touches where !held.insert(touch).inserted { complaints.append("again") }
            meddle?()
        }

        override func touchesMoved(_ touches: [Touch], with event: InteractionEvent) {
            if !held.isSuperset(of: touches) { complaints.append("moved what never began") }
            meddle?()
        }

        override func touchesEnded(_ touches: [Touch], with event: InteractionEvent) {
            end(touches, .ended)
        }

        override func touchesCancelled(_ touches: [Touch], with event: InteractionEvent) {
            if touches.contains(where: { $0.tapCount != 0 }) { complaints.append("a void tap") }
            end(touches, .cancelled)
        }

        private func end(_ touches: [Touch], _ phase: TouchEvent.Phase) {
            for touch in touches {
                if held.remove(touch) == nil { complaints.append("ended what never began") }
                if touch.phase != phase { complaints.append("\(phase) is \(touch.phase)") }
            }
            meddle?()
        }
    }

    @Test(
        "every touch that began ends once, and all are counted", arguments: 0..<20 as Range<UInt64>)
    func books(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let root = Bookkeeper(size: Size(width: 10, height: 10))
        var parts: [Bookkeeper] = [root]
        for _ in 0..<12 {
            let part = Bookkeeper(
                frame: Rectangle(
                    x: .random(in: -2...8, using: &random), y: .random(in: -2...8, using: &random),
                    width: .random(in: 0...8, using: &random),
                    height: .random(in: 0...8, using: &random)))
            part.takesSeveralTouches = Bool.random(using: &random)
            part.isExclusive = Int.random(in: 0..<8, using: &random) == 0
            parts[Int.random(in: 0..<parts.count, using: &random)].add(part)
            parts.append(part)
        }
        let dispatcher = InteractionDispatcher(root: root)
        var isQuiet = false
        for part in parts {
            part.meddle = { [unowned dispatcher] in
                if isQuiet || Int.random(in: 0..<20, using: &random) != 0 { return }
                let (some, other) = (parts.randomElement(using: &random), parts[0])
                switch Int.random(in: 0..<4, using: &random) {
                case 0: some?.remove()
                case 1: if let some, some !== other, some.parent == nil { other.add(some) }
                case 2: some?.isHidden.toggle()
                default: dispatcher.cancelTouches()
                }
            }
        }
        var began = 0
        for step in 0..<2000 {
            let phase = TouchEvent.Phase.allCases.randomElement(using: &random) ?? .began
            if phase == .began { began += 1 }
            let isNumber = Int.random(in: 0..<50, using: &random) != 0
            if !isNumber, phase == .began { began -= 1 }
            dispatcher.dispatch([
                TouchEvent(
                    time: ReadingTime(SensorInstant(nanoseconds: Int64(step / 3 + 1) * 10_000_000)),
                    phase: phase, touch: Int.random(in: 0..<6, using: &random),
                    x: isNumber ? .random(in: 0...1, using: &random) : .nan,
                    y: .random(in: 0...1, using: &random),
                    endsFrame: Bool.random(using: &random))
            ])
        }
        isQuiet = true
        // Time goes on, and so the last frame is over.
        dispatcher.dispatch([
            TouchEvent(
                time: ReadingTime(SensorInstant(nanoseconds: .max)), phase: .moved, touch: 99,
                x: 0, y: 0)
        ])
        let statistics = dispatcher.statistics
        let held = parts.reduce(0) { $0 + $1.held.count }
        #expect(parts.flatMap { $0.complaints } == [])
        #expect(held == dispatcher.touches.count)
        #expect(statistics.began == statistics.ended + statistics.cancelledCount + held)
        #expect(began == statistics.began + statistics.missed + statistics.withheld)
        dispatcher.cancelTouches()
        #expect(parts.allSatisfy { $0.held.isEmpty })
        #expect(statistics.began > 0)
    }
}
