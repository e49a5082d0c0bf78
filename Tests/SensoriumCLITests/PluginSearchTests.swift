import Sensorium
import SensoriumTestKit
import Testing

@testable import SensoriumCLI

@Suite("Search for sensors", .timeLimit(.minutes(1)))
struct PluginSearchTests {
    @Test("a plugin that waits holds up no other, and the command for no more than three seconds")
    func silentPlugin() async throws {
        let clock = VirtualClock()
        let warnings = Collected<String>()
        let registry = SensorRegistry(
            host: PluginHost(clock: clock, log: { _, message in warnings.append(message) }))
        let answer = Answer<Bool>()
        let isDone = Answer<SensorSet>()
        try await clock.run {
            clock.spawn("search") {
                var set = SensorSet(registry: registry)
                await set.add([
                    SlowPlugin(id: "mute", clock: clock, answer: answer),
                    SlowPlugin(id: "quick", clock: clock, answer: nil),
                ])
                isDone.give(set)
            }
            await clock.advance(by: .milliseconds(2999))
            #expect(registry.descriptors.map(\.id) == ["quick/location"])
            #expect(isDone.value == nil)
            await clock.advance(by: .milliseconds(1))
            #expect(isDone.value?.failures.isEmpty == true)
            // What it finds afterwards still arrives.
            answer.give(true)
            await clock.advance(by: .milliseconds(1))
            #expect(registry.descriptors.map(\.id) == ["mute/location", "quick/location"])
        }
        #expect(
            warnings.all == [
                "mute still looks for sensors after 3 s; going on without those it has not found"
            ])
    }
}

/// Finds a location sensor at once, or when it is told to.
private struct SlowPlugin: PluginInstance {
    let manifest: PluginManifest
    let clock: VirtualClock
    let answer: Answer<Bool>?

    init(id: String, clock: VirtualClock, answer: Answer<Bool>?) {
        manifest = PluginManifest(id: id, version: "1.0.0", kinds: [.location])
        self.clock = clock
        self.answer = answer
    }

    func discover() async throws(SensorError) -> [any Sensor] {
        if let answer { _ = await answer.wait() }
        let descriptor = SensorDescriptor(
            id: SensorID("\(manifest.id)/location"), kind: .location, name: "Spy")
        return [SensorSpy<LocationFix>(clock: clock, descriptor: descriptor)]
    }
}
