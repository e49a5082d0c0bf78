import ImageFilesPlugin
import ImageFilesSpy
import Sensorium
import SensoriumPluginKit
import SensoriumTestKit
import Testing

@Suite("image files plugin", .timeLimit(.minutes(1)))
struct ImageFilesTests {
    @Test("has no camera, and no complaint, without a path")
    func none() async throws {
        let files = ImageFilesSpy([:])
        let plugin = files.plugin(for: PluginHost(clock: files.clock))
        #expect(try await plugin.discover().isEmpty)
    }

    @Test("says what its frames are like, at which rate they come, and what it stands on")
    func descriptor() async throws {
        let files = ImageFilesSpy([
            "/films/walk.y4m": y4m([1, 2], rate: "30000:1001"), "/films/walk.mjpeg": jpeg(1),
        ])
        func descriptor(
            _ path: String, _ configuration: [String: String] = [:]
        ) async throws -> SensorDescriptor? {
            let plugin = files.plugin(for: files.host(showing: path, configuration))
            return try await plugin.discover().first?.descriptor
        }
        let film = try #require(try await descriptor("/films/walk.y4m"))
        #expect(film.id == "image-files/camera")
        #expect(film.name == "walk.y4m, 4x2 GREY")
        #expect(film.needs == "/films/walk.y4m")
        #expect(film.rates == .listed([30000.0 / 1001]))
        let stream = try #require(try await descriptor("/films/walk.mjpeg"))
        #expect(stream.name == "walk.mjpeg, 16x8 MJPG")
        #expect(stream.rates == .listed([30]))
        let slow = try #require(
            try await descriptor("/films/walk.y4m", ["image-files.rate": "0.5"]))
        #expect(slow.rates == .listed([0.5]))
        #expect(files.openCount == 0)
    }

    @Test(
        "refuses a setting that makes no sense, and says which",
        arguments: [
            ("rate", "0"), ("rate", "-1"), ("rate", "nan"), ("rate", "fast"), ("rate", "1e9"),
            ("loop", "maybe"),
        ])
    func nonsense(key: String, value: String) async throws {
        let files = ImageFilesSpy(["a.y4m": y4m([1])])
        let plugin = files.plugin(for: files.host(showing: "a.y4m", ["image-files.\(key)": value]))
        let error = await #expect(throws: SensorError.self) { try await plugin.discover() }
        #expect(error?.reason == "the setting image-files.\(key) is '\(value)'")
    }

    @Test("a missing file is unavailable, one that may not be read is denied")
    func absent() async throws {
        let files = ImageFilesSpy(["a.y4m": y4m([1])])
        let lost = files.plugin(for: files.host(showing: "b.y4m"))
        var error = await #expect(throws: SensorError.self) { try await lost.discover() }
        guard case .unavailable(_, let reason, let hint)? = error else {
            return #expect(Bool(false), "\(error as Any)")
        }
        #expect(reason == "b.y4m: there is no such file or folder (ENOENT)")
        #expect(hint == "check the name in image-files.path")
        try await files.suffer(.deny)
        let denied = files.plugin(for: files.host(showing: "a.y4m"))
        error = await #expect(throws: SensorError.self) { try await denied.discover() }
        guard case .denied? = error else { return #expect(Bool(false), "\(error as Any)") }
    }

    @Test(
        "says of a file that is none of its kinds what it is, and what to do",
        arguments: [
            ([], "it holds no picture", "name another"),
            (Array("RIFF of something".utf8), "it is neither Y4M nor JPEG nor PNG", "ffmpeg -i"),
            (Array("YUV4MPEG2 W2 H2 C420p10\n".utf8), "its colour space is 420p10", "ffmpeg -i"),
            (Array("YUV4MPEG2 W60000 H60000\n".utf8), "its size is 60000x60000", "at most"),
            (Array("YUV4MPEG2 W2 H2\n".utf8), "it holds no picture", "name another"),
            (Array(jpeg(1).dropLast(2)), "the last JPEG picture is cut off", "make the file anew"),
        ] as [([UInt8], String, String)])
    func strange(bytes: [UInt8], reason: String, hint: String) async throws {
        let files = ImageFilesSpy(["a": bytes])
        let plugin = files.plugin(for: files.host(showing: "a"))
        let error = try #require(
            await #expect(throws: SensorError.self) { try await plugin.discover() })
        #expect(error.reason == "a: \(reason)")
        #expect(error.hint.contains(hint))
        #expect(files.openCount == 0)
    }

    @Test("a folder without pictures says how their names end")
    func emptyFolder() async throws {
        let files = ImageFilesSpy(["photos/notes.txt": [1], "photos/.jpg": jpeg(1)])
        let plugin = files.plugin(for: files.host(showing: "photos"))
        let error = await #expect(throws: SensorError.self) { try await plugin.discover() }
        #expect(error?.reason == "photos: the folder holds no JPEG or PNG picture")
    }

    @Test("passes the conformance checks over files in memory, in virtual time")
    func linked() async {
        let clock = VirtualClock()
        let files = ImageFilesSpy(["walk.y4m": y4m([1, 2, 3])], clock: clock)
        let conformance = SensorConformance(
            clock: clock,
            configuration: ["image-files.path": "walk.y4m", "image-files.loop": "1"],
            world: .init(openCount: { files.openCount }))
        let report = await conformance.check { files.plugin(for: $0) }
        #expect(report.passed, "\(report)")
        #expect(Set(report.findings.compactMap(\.sensor)).count == 1)
        #expect(clock.sleeperCount == 0)
    }

    @Test("passes them loaded from its file, over a folder of this machine")
    func loaded() async throws {
        let folder = try TemporaryFolder()
        for number in 1...3 { try folder.write(jpeg(UInt8(number)), as: "\(number).jpg") }
        let conformance = SensorConformance(
            clock: SystemClock(),
            configuration: ["image-files.path": folder.path, "image-files.loop": "1"])
        let report = await conformance.check { host in
            let loader = PluginLoader(host: host, crashMarkers: nil)
            let file = await loader.load(file: BuiltPlugins.file(of: "ImageFiles"))
            guard case .loaded(let plugin) = file.outcome else { throw SpyError("\(file)") }
            return plugin
        }
        #expect(report.passed, "\(report)")
        #expect(Set(report.findings.compactMap(\.sensor)).count == 1)
    }

    @Test("says the same before it is loaded as after")
    func manifest() async throws {
        let loader = PluginLoader(host: PluginHost(), crashMarkers: nil)
        let file = await loader.load(file: BuiltPlugins.file(of: "ImageFiles"))
        let note = try #require(file.note)
        #expect(note.id == ImageFiles.manifest.id)
        #expect(note.version == ImageFiles.manifest.version)
        #expect(Set(note.kinds) == Set(ImageFiles.manifest.kinds))
    }
}
