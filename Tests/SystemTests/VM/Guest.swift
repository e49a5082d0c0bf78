import Glibc
import Sensorium
import SensoriumPluginKit
import SensoriumTestKit
import Testing

/// The virtual machine that `machine` runs these tests in: its devices, and what it can do to them.
enum Guest {
    /// Whether this process runs in the machine.
    static let isHere = getenv("SENSORIUM_VM") != nil
    /// Why a suite of the machine does not run elsewhere.
    static let absence: Comment = "runs in a virtual machine: make test-vm"

    /// Tells the player of the HID devices what to do; see devices/hid.c.
    static func hid(_ commands: String...) throws {
        try write(commands.joined(separator: "\n") + "\n", to: "/run/hid")
    }

    /// Writes to a file of the kernel, or into a pipe.
    static func write(_ text: String, to path: String) throws {
        let file = open(path, O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { throw fault("open", path) }
        defer { close(file) }
        let bytes = Array(text.utf8)
        var start = 0
        while start < bytes.count {
            let count = bytes[start...].withUnsafeBytes {
                Glibc.write(file, $0.baseAddress, $0.count)
            }
            guard count > 0 else { throw fault("write to", path) }
            start += count
        }
    }

    private static func fault(_ what: String, _ path: String) -> SpyError {
        SpyError("cannot \(what) \(path): \(String(cString: strerror(errno)))")
    }

    /// Waits up to 20 s for what only the kernel can do.
    static func wait(for what: String, _ condition: () async -> Bool) async throws {
        let clock = SystemClock()
        for _ in 0..<400 {
            if await condition() { return }
            await clock.pause(for: .milliseconds(50))
        }
        throw SpyError("waited in vain: \(what)")
    }

    /// The first line of a file; empty where it cannot be read.
    static func line(_ path: String) -> String {
        String(LogFile.text(path).prefix { $0 != "\n" })
    }
}

/// An app in the machine: a registry with one plugin, loaded from the file that an app would load.
struct GuestApp {
    let registry: SensorRegistry
    /// What the plugin told people.
    let log = Collected<String>()

    /// Loads `Plugins/<name>`.
    init(loading name: String, _ configuration: [String: String] = [:]) async throws {
        let log = log
        registry = SensorRegistry(
            host: PluginHost(
                configuration: { configuration[$0] }, log: { _, text in log.append(text) }))
        let loader = PluginLoader(host: registry.host, crashMarkers: nil)
        let file = await loader.load(file: BuiltPlugins.file(of: name))
        guard case .loaded(let plugin) = file.outcome else { throw SpyError("\(file)") }
        try await registry.add(plugin)
    }

    /// The sensor of that kind whose id contains `part`, waited for.
    func sensor<Reading>(
        _: Reading.Type, _ part: String
    ) async throws -> SharedSensor<Reading> {
        var found: SharedSensor<Reading>?
        try await Guest.wait(for: "\(Reading.kind.name) of \(part) in \(registry.descriptors)") {
            found = registry.sensors(of: Reading.self).first {
                $0.descriptor.id.rawValue.contains(part)
            }
            return found != nil
        }
        return try #require(found)
    }

    /// Whether a sensor is there.
    func has(_ part: String) -> Bool {
        registry.descriptors.contains { $0.id.rawValue.contains(part) }
    }
}
