import Sensorium
import SensoriumTestKit
import Testing

@testable import SensoriumCLI

@Suite("Choice of sensors", .timeLimit(.minutes(1)))
struct SensorSetTests {
    private let bench = CommandBench()
    private var set: SensorSet { SensorSet(registry: bench.registry) }

    private func fill() {
        _ = bench.location("gps/location")
        _ = bench.location("simulated/location", isSimulated: true)
        _ = bench.acceleration("iio/base/acceleration")
        _ = bench.acceleration("iio/display/acceleration")
        _ = bench.add(Pressure.self, "simulated/pressure", true)
    }

    @Test("an id stands for itself, a kind for all real ones, or for the simulated ones")
    func words() throws {
        fill()
        #expect(try set.all(["simulated/location"]).map(\.id) == ["simulated/location"])
        #expect(try set.all(["location"]).map(\.id) == ["gps/location"])
        #expect(try set.all(["pressure"]).map(\.id) == ["simulated/pressure"])
        #expect(
            try set.all(["acceleration"]).map(\.id)
                == ["iio/base/acceleration", "iio/display/acceleration"])
    }

    @Test("no word stands for every kind")
    func everything() throws {
        fill()
        #expect(
            try set.all([]).map(\.id) == [
                "gps/location", "iio/base/acceleration", "iio/display/acceleration",
                "simulated/pressure",
            ])
    }

    @Test("a sensor that is named twice is there once")
    func twice() throws {
        fill()
        #expect(try set.all(["location", "gps/location", "location"]).count == 1)
    }

    @Test("one word stands for the best sensor")
    func best() throws {
        fill()
        #expect(try set.one("location").id == "gps/location")
        #expect(try set.one("simulated/location").id == "simulated/location")
        #expect(try set.one("acceleration").id == "iio/base/acceleration")
    }

    @Test(
        "says which sensor is not there, and which was meant",
        arguments: [
            (
                "gps/locaton", 69,
                "there is no sensor 'gps/locaton'; did you mean 'gps/location'?"
            ),
            (
                "iio/x", 69, "there is no sensor 'iio/x'; 'sensorium list' shows what there is"
            ),
            (
                "pressur", 64,
                "'pressur' is neither a sensor nor a kind of sensor; did you mean 'pressure'?"
            ),
            (
                "heading", 69,
                "there is no heading sensor: no plugin is loaded; 'sensorium plugins' shows where "
                    + "plugins are looked for; --plugin-dir names a folder"
            ),
        ] as [(String, Int32, String)])
    func unknown(word: String, code: Int32, sentence: String) {
        fill()
        for choose in [{ _ = try set.all([word]) }, { _ = try set.one(word) }] {
            let failure = #expect(throws: CommandFailure.self) { try choose() }
            #expect(failure?.code.number == code)
            #expect(failure?.description == sentence)
        }
    }

    @Test("names the kinds where a word is like none")
    func kinds() {
        let failure = #expect(throws: CommandFailure.self) { try set.all(["xyzzy"]) }
        #expect(failure?.code == .misuse)
        #expect(failure?.hint.contains("angular-velocity") == true)
    }

    @Test("tells which plugins were asked, and what they said")
    func plugins() async throws {
        try await bench.registry.add(EmptyPlugin.self)
        var set = set
        set.failures = [
            ("iio", .unavailable("iio", reason: "no context", hint: "set iio.uri"))
        ]
        let failure = #expect(throws: CommandFailure.self) { try set.one("location") }
        #expect(failure?.code == .unavailable)
        #expect(
            failure?.message
                == "there is no location sensor: asked empty; iio is unavailable: no context; "
                + "set iio.uri")
    }
}

/// A plugin that finds nothing.
private final class EmptyPlugin: SensorPlugin {
    static let manifest = PluginManifest(id: "empty", version: "1.0.0", kinds: [.location])

    init(host: PluginHost) {}

    func discover() async throws(SensorError) -> [any Sensor] { [] }
}
