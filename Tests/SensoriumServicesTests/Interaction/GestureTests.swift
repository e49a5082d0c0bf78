import Sensorium
import SensoriumServices
import SensoriumTestKit
import Testing

/// The gestures of the test kit, seen through the real dispatcher.
@Suite("gestures", .timeLimit(.minutes(1)))
struct GestureTests {
    private let clock = VirtualClock()
    private let screen: TouchSensorSpy
    private let log = Collected<String>()
    private let frames = Collected<Frame>()

    /// What a responder saw of one frame.
    struct Frame: Sendable {
        var time: SensorInstant
        var phase: TouchEvent.Phase
        var points: [TouchPoint]
        var taps: [Int]
    }

    /// Fills the surface, takes any number of fingers, and remembers every frame.
    private final class Sheet: Responder {
        let frames: Collected<Frame>

        init(_ frames: Collected<Frame>) {
            self.frames = frames
            super.init(frame: Rectangle(x: 0, y: 0, width: 1, height: 1))
            takesSeveralTouches = true
        }

        private func note(
            _ phase: TouchEvent.Phase, _ touches: [Touch], _ event: InteractionEvent
        ) {
            frames.append(
                Frame(
                    time: event.time.instant, phase: phase,
                    points: touches.map { TouchPoint(x: $0.rootLocation.x, y: $0.rootLocation.y) },
                    taps: touches.map(\.tapCount)))
        }

        override func touchesBegan(_ touches: [Touch], with event: InteractionEvent) {
            note(.began, touches, event)
        }
        override func touchesMoved(_ touches: [Touch], with event: InteractionEvent) {
            note(.moved, touches, event)
        }
        override func touchesEnded(_ touches: [Touch], with event: InteractionEvent) {
            note(.ended, touches, event)
        }
        override func touchesCancelled(_ touches: [Touch], with event: InteractionEvent) {
            note(.cancelled, touches, event)
        }
    }

    init() { screen = TouchSensorSpy(clock: clock) }

    /// What an app that has a sheet sees of what `body` does.
    private func seen(
        _ body: @escaping @Sendable (TouchSensorSpy) async throws -> Void
    ) async throws -> [Frame] {
        try await clock.run { [clock, screen, frames] in
            clock.spawn("app") {
                try? await InteractionDispatcher(root: Sheet(frames)).run(touches: screen)
            }
            try await body(screen)
        }
        try screen.journal.verify()
        return frames.all
    }

    @Test("a tap comes down and is lifted 60 ms later, at one place")
    func tap() async throws {
        let start = clock.now
        let seen = try await seen { try await $0.tap(at: TouchPoint(x: 0.25, y: 0.75)) }
        #expect(seen.map(\.phase) == [.began, .ended])
        #expect(seen.map(\.taps) == [[1], [1]])
        #expect(seen.map { start.duration(to: $0.time) } == [.zero, .milliseconds(60)])
        #expect(seen[0].points == [TouchPoint(x: 0.25, y: 0.75)])
    }

    @Test("a double tap counts to two, also with two fingers")
    func doubleTap() async throws {
        let seen = try await seen { try await $0.doubleTap(at: .center, fingers: 2) }
        #expect(seen.map(\.phase) == [.began, .ended, .began, .ended])
        #expect(seen.map(\.taps) == [[1, 1], [1, 1], [2, 2], [2, 2]])
    }

    @Test("a long press is one touch and no tap")
    func longPress() async throws {
        let start = clock.now
        let seen = try await seen { try await $0.longPress(at: .center) }
        #expect(seen.map(\.phase) == [.began, .ended])
        #expect(seen.last?.taps == [0])
        #expect(seen.last.map { start.duration(to: $0.time) } == .milliseconds(800))
    }

    @Test("a swipe moves evenly, 100 times a second, and is no tap")
    func swipe() async throws {
        let seen = try await seen {
            try await $0.swipe(
                from: TouchPoint(x: 0.2, y: 0.5), to: TouchPoint(x: 0.8, y: 0.5),
                over: .milliseconds(300))
        }
        #expect(seen.count == 31)
        #expect(seen.dropFirst().dropLast().allSatisfy { $0.phase == .moved })
        for (step, frame) in seen.enumerated() {
            #expect(abs(frame.points[0].x - (0.2 + 0.02 * Double(step))) < 1e-9)
        }
        #expect(seen.last?.taps == [0])
        #expect(clock.now == seen.last?.time)
    }

    @Test("several fingers swipe side by side, in the same frames")
    func severalFingers() async throws {
        let seen = try await seen {
            try await $0.swipe(from: .center, to: TouchPoint(x: 0.5, y: 0.1), fingers: 5)
        }
        #expect(seen.allSatisfy { $0.points.count == 5 })
        #expect(Set(seen[0].points.map(\.x)).count == 5)
    }

    @Test("a pinch brings two fingers together, a spread apart")
    func pinch() async throws {
        let seen = try await seen {
            try await $0.pinch(from: 0.6, to: 0.2)
            try await $0.pinch(from: 0.2, to: 0.6, over: .milliseconds(100))
        }
        let distances = seen.map { $0.points[0].distance(to: $0.points[1]) }
        #expect(abs(distances[0] - 0.6) < 1e-9)
        #expect(abs((distances.last ?? 0) - 0.6) < 1e-9)
        #expect(abs((distances.min() ?? 0) - 0.2) < 1e-9)
        let turn = distances.firstIndex { $0 < 0.2 + 1e-9 } ?? 0
        #expect(zip(distances[..<turn], distances[1...turn]).allSatisfy { $0 > $1 })
    }

    @Test("a rotation turns both fingers around the middle, at a constant distance")
    func rotate() async throws {
        let seen = try await seen { try await $0.rotate(by: 90) }
        for frame in seen {
            #expect(abs(frame.points[0].distance(to: frame.points[1]) - 0.4) < 1e-9)
        }
        let last = try #require(seen.last)
        // A quarter clockwise: the right finger goes down.
        #expect(last.points[1].distance(to: TouchPoint(x: 0.5, y: 0.7)) < 1e-9)
        #expect(last.points[0].distance(to: TouchPoint(x: 0.5, y: 0.3)) < 1e-9)
    }

    @Test("a palm is cancelled beside a finger that taps")
    func palm() async throws {
        let seen = try await seen {
            try await $0.perform(
                .palm(at: TouchPoint(x: 0.8, y: 0.9)).with(
                    .tap(at: TouchPoint(x: 0.2, y: 0.2)).after(.milliseconds(30))))
        }
        #expect(seen.filter { $0.phase == .began }.count == 2)
        #expect(seen.filter { $0.phase == .ended }.map(\.taps) == [[1]])
        #expect(seen.last?.phase == .cancelled)
        #expect(screen.touchTally == TouchTally(began: 2, ended: 1, cancelled: 1))
    }

    @Test("fingers stay on the surface, and another rate is another number of frames")
    func ratesAndEdges() async throws {
        let seen = try await seen {
            try await $0.perform(
                .swipe(
                    from: TouchPoint(x: 0.9, y: -1), to: TouchPoint(x: 1.4, y: 2),
                    over: .milliseconds(100)), rate: 50)
        }
        #expect(seen.count == 6)
        #expect(seen.allSatisfy { (0...1).contains($0.points[0].x) })
        #expect(seen.allSatisfy { (0...1).contains($0.points[0].y) })
    }

    @Test("a finger can be led step by step")
    func stepByStep() async throws {
        let seen = try await seen { screen in
            let finger = try await screen.press(at: .center)
            try await finger.move(to: TouchPoint(x: 0.6, y: 0.5), over: .milliseconds(50))
            try await finger.move(to: TouchPoint(x: 0.7, y: 0.5))
            try await finger.lift()
            let other = try await screen.press(at: .center)
            try await other.cancel()
        }
        #expect(
            seen.map(\.phase) == [
                .began, .moved, .moved, .moved, .moved, .moved, .moved, .ended, .began, .cancelled,
            ])
        #expect(seen[7].points == [TouchPoint(x: 0.7, y: 0.5)])
    }

    @Test("a gesture on a screen that was pulled out takes its time, and nobody hears of it")
    func unplugged() async throws {
        let start = clock.now
        let seen = try await seen { screen in
            try await screen.started()
            try await screen.suffer(.unplug)
            try await screen.tap(at: .center)
        }
        #expect(seen.isEmpty)
        #expect(start.duration(to: clock.now) == .milliseconds(60))
    }

    // MOK-02, MOK-03: what nobody opens fails with a sentence, and does not hang.
    @Test("a gesture for an app that never opens the screen fails, and says so")
    func neverOpened() async throws {
        let clock = VirtualClock(patience: .milliseconds(50))
        let screen = TouchSensorSpy(clock: clock)
        await #expect(throws: VirtualClockError.self) {
            try await clock.run { try await screen.tap(at: .center) }
        }
    }

    // MOK-07.
    @Test("a hundred tasks that tap at once are counted exactly")
    func manyAtOnce() async throws {
        let seen = try await seen { [clock] screen in
            try await screen.started()
            let tasks = (0..<100).map { index in
                clock.spawn("finger") {
                    for _ in 0..<10 {
                        try? await screen.tap(at: TouchPoint(x: Double(index) / 100, y: 0.5))
                    }
                }
            }
            for task in tasks { await task.value }
        }
        #expect(screen.touchTally == TouchTally(began: 1000, ended: 1000))
        #expect(seen.filter { $0.phase == .ended }.flatMap(\.points).count == 1000)
    }

    // MOK-01.
    @Test("a thousand swipes, each cut short by a fault at another moment, end every touch once")
    func faultsAnywhere() async throws {
        let faults: [Fault] = [.unplug, .drop(1), .notANumber, .stall(.milliseconds(40)), .deny]
        let totals = Collected<InteractionStatistics>()
        try await clock.run { [clock, screen] in
            for round in 0..<1000 {
                let run = clock.spawn("app") {
                    let root = Responder(size: Size(width: 10, height: 10))
                    root.takesSeveralTouches = true
                    let dispatcher = InteractionDispatcher(root: root)
                    try? await dispatcher.run(touches: screen)
                    precondition(dispatcher.touches.isEmpty)
                    totals.append(dispatcher.statistics)
                }
                try await screen.started()
                let script = FaultScript.random(
                    seed: UInt64(round), count: 2, of: faults, spread: .milliseconds(80))
                let trouble = clock.spawn("faults") {
                    try? await script.play(on: screen, clock: clock)
                }
                try await screen.swipe(
                    from: .center, to: TouchPoint(x: 0.9, y: 0.9), over: .milliseconds(100),
                    fingers: 2)
                await clock.advance(by: .milliseconds(100))
                run.cancel()
                await run.value
                await trouble.value
                try await screen.suffer(.replug)
                try await screen.suffer(.permit)
            }
        }
        #expect(totals.all.count == 1000)
        for total in totals.all {
            #expect(total.began == total.ended + total.cancelledCount)
        }
        #expect(totals.all.reduce(0) { $0 + $1.cancelledCount } > 500)
        #expect(clock.sleeperCount == 0)
    }
}
