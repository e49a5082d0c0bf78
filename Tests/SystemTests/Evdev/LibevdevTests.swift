import EvdevPlugin
import Glibc
import Sensorium
import SensoriumTestKit
import Testing

/// libevdev over screens that umockdev makes: this program runs again among them.
@Suite(
    "libevdev over umockdev", .timeLimit(.minutes(1)),
    .enabled(
        if: MockedRun.has("umockdev-run") && !MockedRun.isInside("umockdev"),
        "umockdev-run is not installed; run `sudo apt-get install umockdev`"))
struct LibevdevTests {
    @Test("follows what a screen says, from what was true at first (TCH-01, 02, 05)")
    func screens() async throws {
        var tree = MockedTree()
        var screens: [String: MockedScreen] = [:]
        for (number, play) in MockedScreenTests.plays.enumerated() {
            tree.addScreen(number, name: play.name, properties: play.properties)
            screens["/dev/input/event\(number)"] = play.screen
        }
        try await MockedRun.under(tree, screens: screens, suite: "MockedScreenTests")
    }
}

@Suite(
    "Screens inside umockdev", .serialized, .timeLimit(.minutes(1)),
    .enabled(if: MockedRun.isInside("umockdev"), "runs inside umockdev, started by LibevdevTests"))
struct MockedScreenTests {
    struct Play: Sendable {
        var name: String
        var properties: [String: String] = [:]
        var screen: MockedScreen
        /// What an app hears: phase, touch, and place in a thousandth of the sides.
        var words: [String]
    }

    private static func frame(_ milliseconds: Int, _ axes: (Int, Int32)...) -> [MockedScreen.Event]
    {
        axes.map { (milliseconds, 3, $0.0, $0.1) } + [(milliseconds, 0, 0, 0)]
    }

    private static let (slot, x, y, id) = (47, 53, 54, 57)

    static let plays = [
        Play(
            name: "reuse",
            screen: MockedScreen(
                maximum: 1000,
                events: frame(0, (id, 2497), (x, 100), (y, 200))
                    + frame(50, (id, -1), (id, 2498), (x, 300), (y, 400)) + frame(60, (id, -1))),
            words: [
                "began 1 (100, 200)", "ended 1 (100, 200)", "began 2 (300, 400)",
                "ended 2 (300, 400)",
            ]),
        Play(
            name: "held",
            screen: MockedScreen(
                maximum: 1000, contact: (5, 700, 800),
                events: frame(50, (x, 710)) + frame(60, (id, -1))
                    + frame(70, (id, 12), (x, 100), (y, 200)) + frame(80, (id, -1))),
            words: [
                "began 1 (700, 800)", "moved 1 (710, 800)", "ended 1 (710, 800)",
                "began 2 (100, 200)", "ended 2 (100, 200)",
            ]),
        Play(
            // The answer to the question after the loss is that nobody touches any more. What comes next
            // comes late, since libevdev throws away what is there when it asks.
            name: "lost",
            screen: MockedScreen(
                maximum: 1000,
                events: frame(0, (id, 1), (x, 10), (y, 20))
                    + [(50, 0, 3, 0)] + frame(50, (x, 30))
                    + frame(1500, (id, 7), (x, 900), (y, 901)) + frame(1520, (id, -1))),
            words: [
                "began 1 (10, 20)", "cancelled 1 (10, 20)", "began 2 (900, 901)",
                "ended 2 (900, 901)",
            ]),
        Play(
            name: "turned", properties: ["LIBINPUT_CALIBRATION_MATRIX": "0 -1 1 1 0 0"],
            screen: MockedScreen(
                maximum: 1000,
                events: frame(0, (id, 1), (x, 200), (y, 300)) + frame(10, (id, -1))),
            words: ["began 1 (700, 200)", "ended 1 (700, 200)"]),
    ]

    @Test("says", arguments: plays.map(\.name))
    func says(name: String) async throws {
        let play = try #require(Self.plays.first { $0.name == name })
        let sensors = try await Evdev(host: PluginHost()).discover()
        let found = try #require(
            sensors.first { $0.descriptor.name == name } as? EvdevSensor<TouchEvent>)
        #expect(found.descriptor.id.rawValue == "evdev/\(name)@virtual/touch")
        let sensor = SharedSensor(found)
        var words: [String] = []
        var losses = 0
        for try await update in sensor.readings().updates {
            switch update {
            case .reading(let event):
                let place = [event.x, event.y].map { "\(Int(($0 * 1000).rounded()))" }
                words.append("\(event.phase) \(event.touch) (\(place.joined(separator: ", ")))")
                // A mocked device has stamps of no clock.
                #expect(event.time.source == .arrival)
            case .lost(let loss): losses += loss.count
            case .status: break
            }
            if words.count == play.words.count { break }
        }
        await sensor.closed()
        #expect(words == play.words)
        #expect(losses == (name == "lost" ? 1 : 0))
    }
}
