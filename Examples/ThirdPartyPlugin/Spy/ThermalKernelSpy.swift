import Sensorium
import SensoriumTestKit
import ThermalPlugin

/// Plays the kernel's thermal zones, and remembers what the plugin read.
///
/// Nothing here opens a file or sleeps.
public final class ThermalKernelSpy: Sendable {
    /// Where it writes what it saw.
    public let journal: SpyJournal
    private let clock: VirtualClock
    private let answers: Guarded<[String: Result<String, ThermalFault>]>

    /// Makes a kernel whose zones say `texts`, by the zones' types: `["acpitz": "45000\n"]`.
    public init(
        clock: VirtualClock, journal: SpyJournal = SpyJournal(),
        _ texts: [String: String] = ["acpitz": "45000\n"]
    ) {
        self.clock = clock
        self.journal = journal
        answers = Guarded(texts.mapValues { .success($0) })
    }

    /// Makes the plugin over this kernel.
    public func plugin(for host: PluginHost) -> any PluginInstance {
        Thermal(host: host, link: self)
    }

    /// Makes a zone say `text` from now on.
    public func say(_ text: String, in zone: String = "acpitz") {
        answers.withLock { $0[zone] = .success(text) }
    }

    /// Makes a zone's driver fail.
    public func fail(_ why: String, in zone: String = "acpitz") {
        journal.record(.fault("\(zone) fails"), by: self, at: clock.now)
        answers.withLock { $0[zone] = .failure(.noAnswer(why)) }
    }

    /// Unloads a zone's driver.
    public func unload(_ zone: String = "acpitz") {
        journal.record(.fault("\(zone) was unloaded"), by: self, at: clock.now)
        answers.withLock { $0[zone] = nil }
    }
}

extension ThermalKernelSpy: CustomStringConvertible {
    /// `kernel`, its name in the journal.
    public var description: String { "kernel" }
}

extension ThermalKernelSpy: ThermalLink {
    package func zones() async -> [ThermalZone] {
        let types = answers.withLock { $0.keys.sorted() }
        return ThermalZone.named(
            types.enumerated().map { (folder: "thermal_zone\($0.offset)", type: $0.element) })
    }

    package func read(_ zone: ThermalZone) async throws(ThermalFault) -> String {
        journal.record(.said("read \(zone.name)"), by: self, at: clock.now)
        guard let answer = answers.withLock({ $0[zone.name] }) else { throw .gone }
        return try answer.get()
    }
}
