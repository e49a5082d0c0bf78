import Sensorium
import SensoriumTestKit
import Testing

@Suite("sensor conformance", .timeLimit(.minutes(1)))
struct SensorConformanceTests {
    private func examine(_ breach: Breach?) async -> ConformanceReport {
        let clock = VirtualClock()
        let plugin = FaultyPlugin(breach, clock: clock)
        let conformance = SensorConformance(
            clock: clock,
            world: .init(
                breakSource: { _ in plugin.unplug() }, mendSource: { _ in plugin.plug() }))
        return await conformance.check { _ in plugin }
    }

    @Test("finds nothing wrong with a good plugin, and looks at everything")
    func good() async {
        let report = await examine(nil)
        #expect(report.passed, "\(report)")
        #expect(report.skipped.isEmpty, "\(report)")
        #expect(Set(report.findings.map(\.check)) == Set(ConformanceCheck.allCases))
    }

    @Test(
        "finds each breach by the check that is there for it, and by no other",
        arguments: Breach.allCases)
    func faulty(breach: Breach) async {
        let report = await examine(breach)
        #expect(report.failures.map(\.check) == [breach.check], "\(report)")
    }

    @Test("has a breach to prove every check")
    func complete() {
        #expect(Set(Breach.allCases.map(\.check)) == Set(ConformanceCheck.allCases))
    }

    @Test("examines a sensor by itself, with a spy's readings")
    func spied() async {
        let clock = VirtualClock()
        let gps = LocationSensorSpy("spy/gps", clock: clock)
        let conformance = SensorConformance(
            clock: clock,
            world: .init(
                makeReadings: { _ in try await gps.deliver(latitude: 48.1, longitude: 11.5) },
                breakSource: { _ in
                    try await gps.finish(
                        .disconnected(gps.id, reason: "unplugged", hint: "plug it in"))
                },
                openCount: { gps.isOpen ? 1 : 0 }, tellsTime: [.location]))
        let report = await conformance.check(gps)
        #expect(report.passed, "\(report)")
        #expect(report.subject == "spy/gps")
        #expect(!gps.isOpen)
    }

    @Test(
        "in the real world, skips what a sensor says to wait or search for",
        arguments: [
            SensorStatus(.waiting, reason: "gpsd refused the connection", hint: "start gpsd"),
            SensorStatus(.searching, reason: "the receiver has no compass"),
            SensorStatus(.searching), SensorStatus(.running),
        ])
    func excused(status: SensorStatus) async {
        var limits = SensorConformance.Limits.realTime
        limits.delivery = .milliseconds(50)
        limits.quiet = .milliseconds(10)
        let conformance = SensorConformance(clock: SystemClock(), limits: limits)
        let report = await conformance.check(WaitingSensor(status: status))
        let isExcused = !status.reason.isEmpty
        #expect(report.passed == isExcused, "\(report)")
        #expect(Set(report.findings.map(\.check)).count == report.findings.count)
        #expect(report.findings.contains { $0.check == .closing && $0.outcome == .passed })
        // One line for all that was skipped for one reason.
        let lines = "\(report)".split(separator: "\n").count { $0.contains(" checks: ") }
        #expect(lines == (isExcused ? 1 : 2))
        #expect(
            report.skipped.contains {
                $0.check == .delivery
                    && "\($0.outcome)".contains("it says why: \(status.state): \(status.reason)")
            } == isExcused)
    }

    @Test("reports a plugin that cannot be made, and one that finds nothing")
    func hopeless() async {
        struct Empty: PluginInstance {
            let manifest = PluginManifest(id: "empty", version: "1.0.0", kinds: [.location])
            func discover() async throws(SensorError) -> [any Sensor] { [] }
        }
        let conformance = SensorConformance(clock: VirtualClock())
        let empty = await conformance.check { _ in Empty() }
        #expect(empty.failures.map(\.check) == [.discovery])
        let unmade = await conformance.check { _ in throw SpyError("it has no file") }
        #expect(unmade.failures.map(\.check) == [.manifest])
        #expect("\(unmade)".contains("it has no file"))
    }
}

/// A sensor that opens, says how it does, and gives nothing.
private struct WaitingSensor: Sensor {
    let status: SensorStatus
    let clock: any SensorClock = SystemClock()
    let descriptor = SensorDescriptor(id: "waiting/location", kind: .location, name: "Waiting")
    var authorization: AuthorizationStatus { .authorized }

    func requestAuthorization() async -> AuthorizationStatus { .authorized }

    func open(
        _ request: SamplingRequest, delivering sink: ReadingSink<LocationFix>
    ) async throws(SensorError) -> any SensorSession {
        sink.report(status)
        return Session()
    }

    private struct Session: SensorSession {
        func close() async {}
    }
}
