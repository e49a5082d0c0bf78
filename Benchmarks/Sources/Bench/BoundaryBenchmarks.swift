import Glibc
import Sensorium
import SensoriumPluginKit

/// Readings of a plugin that was loaded at run time, and the loading itself.
///
/// The plugin is the one of the package's own tests; `make bench` builds it beside this program.
enum BoundaryBenchmarks {
    private static let batches = 10_000
    private static let count = batches * 64

    private static let host = PluginHost(configuration: { key in
        ["fixture.sensors": "all", "fixture.batches": "\(batches)"][key]
    })

    static func rows() async throws -> [Row] {
        guard let library else {
            print("boundary: libFixturePlugin.so is missing; run make bench")
            return []
        }
        let file = await PluginLoader(host: host, crashMarkers: nil).load(file: library)
        guard case .loaded(let plugin) = file.outcome else {
            print("boundary: \(file)")
            return []
        }
        let registry = SensorRegistry(host: host)
        try await registry.add(plugin)
        let rows = [
            try await crossing(plugin), try await wholeWay(registry), try await loading(library),
        ]
        await registry.removeAll()
        return rows
    }

    /// Across the boundary to a sink, beside the same sensor without a boundary.
    private static func crossing(_ plugin: LoadedPlugin) async throws -> Row {
        var (crossing, direct) = (Samples(), Samples())
        for _ in 0..<7 {
            for sensor in try await plugin.discover() where sensor.id == "fixture/burst" {
                crossing.add(try await deliver(sensor), items: count)
            }
            direct.add(
                try await deliver(StreamBenchmarks.Live(count: count)), items: count)
        }
        return Row(
            name: "boundary.batches-of-64", value: crossing.median, unit: "ns",
            rival: ("direct call", direct.median), goal: 10)
    }

    private struct Times {
        var first: SensorInstant?
        var count = 0
    }

    /// The time from the first reading to the end.
    private static func deliver<Source: Sensor>(_ sensor: Source) async throws -> Int64 {
        let clock = SystemClock()
        let times = Guarded(Times())
        let (ends, end) = AsyncStream<SensorInstant>.makeStream()
        let session = try await sensor.open(
            .default,
            delivering: ReadingSink(
                deliver: { readings in
                    times.withLock { times in
                        if times.first == nil { times.first = clock.now }
                        times.count += readings.count
                    }
                },
                finish: { _ in end.yield(clock.now) }))
        var last = clock.now
        for await instant in ends {
            last = instant
            break
        }
        await session.close()
        let (first, seen) = times.withLock { ($0.first, $0.count) }
        precondition(seen == count, "readings were dropped")
        return (first ?? last).duration(to: last).wholeNanoseconds
    }

    /// Across the boundary, through a shared sensor, to a consumer of batches.
    private static func wholeWay(_ registry: SensorRegistry) async throws -> Row {
        guard let burst = registry.sensor("fixture/burst", of: Acceleration.self) else {
            preconditionFailure("the plugin has its sensor")
        }
        var samples = Samples()
        let request = SamplingRequest(buffering: .newest(count))
        for _ in 0..<7 {
            samples.add(
                try await nanoseconds {
                    var seen = 0
                    for try await batch in burst.readings(request).batches { seen += batch.count }
                    precondition(seen == count, "readings were dropped")
                }, items: count)
        }
        return Row(
            name: "boundary.shared.batches", value: samples.median, unit: "ns", goal: 40)
    }

    /// From a file that this process has never seen to a plugin at work, marker included.
    private static func loading(_ library: String) async throws -> Row {
        let folder = "/tmp/sensorium-bench-\(getpid())"
        mkdir(folder, 0o700)
        defer { rmdir(folder) }
        let markers = CrashMarkers(folder: folder)
        var samples = Samples()
        for round in 0..<11 {
            let copy = "\(folder)/plugin-\(round).so"
            defer { unlink(copy) }
            copyFile(library, to: copy)
            let loader = PluginLoader(host: host, crashMarkers: markers)
            samples.add(
                await nanoseconds {
                    guard case .loaded = await loader.load(file: copy).outcome else {
                        preconditionFailure("the copy is as good as the plugin")
                    }
                }, items: 1)
        }
        return Row(name: "load.plugin", value: samples.median / 1e6, unit: "ms", goal: 2)
    }

    private static func copyFile(_ source: String, to target: String) {
        let (input, output) = (
            open(source, O_RDONLY), open(target, O_WRONLY | O_CREAT | O_TRUNC, 0o755)
        )
        while sendfile(output, input, nil, 1 << 24) > 0 {}
        close(input)
        close(output)
    }

    private static let library = library("libFixturePlugin.so")

    /// A library beside this program; nil where it was not built.
    static func library(_ name: String) -> String? {
        var buffer = [CChar](repeating: 0, count: 4096)
        let length = readlink("/proc/self/exe", &buffer, buffer.count)
        let program = String(
            decoding: buffer.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard let slash = program.lastIndex(of: "/") else { return nil }
        let path = program[..<slash] + "/\(name)"
        return access(String(path), R_OK) == 0 ? String(path) : nil
    }
}
