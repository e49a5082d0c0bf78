import Glibc
import Sensorium
import SensoriumTestKit
import Testing

@testable import SensoriumPluginKit

@Suite(
    "plugin loader", .timeLimit(.minutes(1)),
    .enabled(if: PluginFoundry.compiler != nil, PluginFoundry.skipReason))
struct PluginLoaderTests {
    private let folder: TemporaryFolder
    private let loader = PluginLoader(host: PluginHost(), crashMarkers: nil)

    init() throws { folder = try TemporaryFolder() }

    private func cee(_ name: String, id: String = "cee", version: String = "1.0.0") async throws {
        try await PluginFoundry.build(
            "cee", to: folder / name, defining: ["ID=\"\(id)\"", "VERSION=\"\(version)\""])
    }

    /// What became of each file: its name, then `loaded` or the reason.
    private func outcomes(_ report: LoadReport) -> [String] {
        report.files.map { file in
            let name = file.path.replacing(folder.path + "/", with: "")
            return switch file.outcome {
            case .loaded(let plugin): "\(name) loaded \(plugin.manifest.id)"
            case .skipped(let refusal): "\(name) skipped \(refusal)"
            case .refused(let refusal): "\(name) refused \(refusal)"
            }
        }
    }

    // MARK: PLG-10

    @Test("loads the good files of a folder, and says of each other what is wrong with it")
    func mixedFolder() async throws {
        try await cee("good-a.so", id: "aaa")
        try await cee("good-z.so", id: "zzz")
        try Files.write(Array("hello\n".utf8), to: folder / "text.so")
        try Files.write([], to: folder / "zero.so")
        var foreign = try Files.read(folder / "good-a.so")
        foreign[18] = ELFMachine.native.code == 183 ? 62 : 183
        try Files.write(foreign, to: folder / "foreign.so")
        mkdir(folder / "folder.so", 0o755)
        symlink("/nowhere/at/all", folder / "dangling.so")
        symlink("loop.so", folder / "loop.so")
        mkfifo(folder / "fifo.so", 0o644)
        symlink("/dev/null", folder / "device.so")
        let mark = folder / "the-constructor-ran"
        try await PluginFoundry.build(.marksItsConstructor, to: folder / "stranger.so", mark: mark)
        try Files.write(Array("no plugin".utf8), to: folder / "README")
        try Files.write(Array("no plugin".utf8), to: folder / ".hidden.so")

        let report = await loader.load(PluginSearchPath([folder.path]))

        let expected = [
            ("dangling.so", "is a link to a file that does not exist (/nowhere/at/all)"),
            ("device.so", "is a device"), ("fifo.so", "is a FIFO"), ("folder.so", "is a folder"),
            ("foreign.so", "was built for"), ("good-a.so", "loaded aaa"),
            ("good-z.so", "loaded zzz"), ("loop.so", "leads back to itself"),
            ("stranger.so", "not a Sensorium plugin"), ("text.so", "is not an ELF file"),
            ("zero.so", "is empty"),
        ]
        let outcomes = outcomes(report)
        #expect(outcomes.count == expected.count)
        for (outcome, (name, text)) in zip(outcomes, expected) {
            #expect(outcome.hasPrefix(name) && outcome.contains(text), Comment(rawValue: outcome))
        }
        #expect(!Files.exists(mark))
        #expect(report.plugins.map(\.manifest.id) == ["aaa", "zzz"])
        #expect(report.folders.map(\.outcome) == [.searched(files: 11)])
    }

    @Test("says of a name that is no text that it is none, and what to do")
    func namelessFile() async throws {
        let path = (folder / "bad-").utf8.map { CChar(bitPattern: $0) }
        let descriptor = open(
            path + [CChar(bitPattern: 0xff)] + [0x2e, 0x73, 0x6f, 0], O_WRONLY | O_CREAT, 0o644)
        try #require(descriptor >= 0)
        close(descriptor)
        let report = await loader.load(PluginSearchPath([folder.path]))
        #expect(
            outcomes(report) == [
                "bad-\u{fffd}.so refused cannot be opened: its name is not UTF-8 text; rename it"
            ])
    }

    @Test("tells of folders that are missing, unsafe, or no folders, and goes on")
    func folders() async throws {
        let unsafe = folder / "unsafe"
        mkdir(unsafe, 0o755)
        chmod(unsafe, 0o1777)
        try Files.write([], to: folder / "file")
        symlink(folder.path, folder / "again")
        try await cee("good.so")
        let report = await loader.load(
            PluginSearchPath([
                folder / "missing", unsafe, folder / "file", folder.path, folder / "again",
            ]))
        #expect(report.folders[0].outcome == .absent)
        let texts = report.folders.map { "\($0.outcome)" }
        #expect(texts[1].contains("every user of this machine (its mode is 1777)"))
        #expect(texts[2].contains("is not a folder"))
        #expect(report.folders[3].outcome == .searched(files: 1))
        #expect(texts[4].contains("is the same folder as \(folder.path)"))
        #expect(report.plugins.count == 1)
    }

    @Test("refuses a file that everybody may change, and a link into such a folder")
    func worldWritable() async throws {
        try await cee("open.so")
        chmod(folder / "open.so", 0o666)
        let unsafe = folder / "unsafe"
        mkdir(unsafe, 0o755)
        try await cee("unsafe/hidden.so", id: "other")
        chmod(unsafe, 0o777)
        symlink("unsafe/hidden.so", folder / "link.so")
        let outcomes = outcomes(await loader.load(PluginSearchPath([folder.path])))
        #expect(outcomes[0].contains("is a link to"))
        #expect(outcomes[0].contains("whose folder can be written to by every user"))
        #expect(outcomes[1].contains("can be changed by every user of this machine"))
        #expect(outcomes[1].contains("chmod o-w \(folder / "open.so")"))
    }

    // MARK: PLG-05

    @Test("refuses another boundary and another machine before it runs anything")
    func boundary() async throws {
        try await PluginFoundry.build(.otherBoundary, to: folder / "future.so")
        let report = await loader.load(PluginSearchPath([folder.path]))
        #expect(
            report.files.first?.description
                == "\(folder / "future.so") speaks boundary version 99, and this host speaks version "
                + "\(PluginNote.hostBoundary); build the plugin with this host's sensorium_plugin.h"
        )
    }

    @Test("loads what any compiler has built", arguments: PluginFoundry.compilers)
    func compilers(compiler: String) async throws {
        try await PluginFoundry.build("cee", to: folder / "cee.so", by: compiler)
        let report = await loader.load(PluginSearchPath([folder.path + "/"]))
        #expect(report.plugins.map(\.path) == [folder / "cee.so"])
    }

    // MARK: PLG-06

    @Test("loads a file once, by whatever path, and a plugin once, by its highest version")
    func duplicates() async throws {
        try await cee("first.so", version: "0.9.0")
        try await cee("second.so", version: "0.10.0")
        symlink("second.so", folder / "third.so")
        try Files.write(Files.read(folder / "first.so"), to: folder / "a-copy.so")

        let report = await loader.load(PluginSearchPath([folder.path]))
        let second = folder / "second.so"
        #expect(
            outcomes(report) == [
                "a-copy.so skipped holds cee 0.9.0, and 0.10.0 was loaded from \(second); "
                    + "remove one of the two",
                "first.so skipped holds cee 0.9.0, and 0.10.0 was loaded from \(second); "
                    + "remove one of the two",
                "second.so loaded cee", "third.so skipped is the same file as \(second)",
            ])

        let again = outcomes(await loader.load(PluginSearchPath([folder.path])))
        #expect(again[2] == "second.so skipped is loaded already")
        #expect(again[0].contains("0.10.0 is loaded already, from \(second)"))
        #expect(loader.plugins.count == 1)
    }

    @Test("takes the first of two files of the same version")
    func sameVersion() async throws {
        try await cee("b.so")
        try await cee("a.so")
        let report = await loader.load(PluginSearchPath([folder.path]))
        #expect(report.plugins.map(\.path) == [folder / "a.so"])
    }

    @Test("falls back to the lower version when the higher cannot be loaded")
    func fallback() async throws {
        try await cee("old.so", id: "faulty", version: "0.1.0")
        try await PluginFoundry.build(.undefinedSymbol, to: folder / "new.so")
        let report = await loader.load(PluginSearchPath([folder.path]))
        #expect(report.plugins.map(\.path) == [folder / "old.so"])
        #expect(outcomes(report)[0].hasPrefix("new.so refused needs the function or variable"))
    }

    @Test("loads once when many ask at once")
    func concurrent() async throws {
        try await cee("one.so", id: "one")
        try await cee("two.so", id: "two")
        let (loader, path) = (loader, PluginSearchPath([folder.path]))
        let loaded = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<16 { group.addTask { await loader.load(path).plugins.count } }
            return await group.reduce(0, +)
        }
        #expect(loaded == 2)
        #expect(loader.plugins.count == 2)
    }

    // MARK: PLG-08

    @Test("names the symbol that a plugin lacks, when it is loaded")
    func missingSymbol() async throws {
        try await PluginFoundry.build(.undefinedSymbol, to: folder / "undefined.so")
        let outcomes = outcomes(await loader.load(PluginSearchPath([folder.path])))
        #expect(outcomes[0].contains("nowhere_to_be_found"))
    }

    @Test("names the library that a plugin lacks, and loads the others")
    func missingLibrary() async throws {
        let library = folder / "libabsent-helper.so.3"
        try await PluginFoundry.build(.noNote, to: library)
        try await PluginFoundry.build(
            "cee", to: folder / "needy.so",
            defining: ["ID=\"needy\""],
            linking: [
                "-Wl,--no-as-needed", "-L", folder.path,
                "-l:libabsent-helper.so.3",
            ])
        unlink(library)
        try await cee("other.so")
        let outcomes = outcomes(await loader.load(PluginSearchPath([folder.path])))
        #expect(
            outcomes[0].hasPrefix(
                "needy.so refused needs libabsent-helper.so.3, which is not installed; "))
        #expect(outcomes[0].contains("apt install libabsent-helper3"))
        #expect(outcomes[1] == "other.so loaded cee")
    }

    // MARK: PLG-11

    @Test("refuses a file that is cut off, where the dynamic linker would die")
    func truncated() async throws {
        try await cee("good.so")
        let whole = try Files.read(folder / "good.so")
        let image = try ELFImage(FileBytes(whole))
        let end = Int(image.segments.map { $0.offset + $0.fileSize }.max() ?? 0)
        for length in [64, 1000, 4096, whole.count / 2, end - 1] {
            try Files.write(Array(whole.prefix(length)), to: folder / "cut.so")
            let file = await loader.load(file: folder / "cut.so")
            guard case .refused(let refusal) = file.outcome else {
                Issue.record("\(length) of \(whole.count) bytes were loaded")
                continue
            }
            #expect(refusal.reason.hasPrefix("is truncated"))
        }
        // Without its section headers it is whole enough.
        try Files.write(Array(whole.prefix(end)), to: folder / "cut.so")
        guard case .loaded = await loader.load(file: folder / "cut.so").outcome else {
            Issue.record("a file with all its segments was refused")
            return
        }
    }

    @Test(
        "refuses the field cases' files",
        .enabled(if: Shared.folder != nil, "no shared cases here"),
        arguments: [
            ("plg11_truncated_elf.so", "is truncated"), ("plg11b_text.so", "is not an ELF file"),
            ("plg11c_zero.so", "is empty"),
        ])
    func fieldCases(name: String, expected: String) async throws {
        let shared = try #require(Shared.folder)
        try Files.write(Files.read("\(shared)/cases/files/\(name)"), to: folder / name)
        let outcomes = outcomes(await loader.load(PluginSearchPath([folder.path])))
        #expect(outcomes.first?.contains(expected) == true)
    }

    @Test("refuses a file that shrinks between the look at it and the load")
    func shrinks() async throws {
        try await cee("good.so")
        let file = try PluginFile(path: folder / "good.so")
        truncate(folder / "good.so", 4096)
        #expect(throws: LoadRefusal.self) { try file.checkUnchanged() }
    }

    // MARK: PLG-04

    @Test("loads, uses and stops a plugin 50 times without a trace")
    func rounds() async throws {
        let path = Files.fixture
        func once() async throws {
            let report = await loader.load(file: path)
            guard case .loaded(let plugin) = report.outcome else {
                Issue.record("\(report)")
                return
            }
            #expect(try await plugin.discover().isEmpty)
            await plugin.stop()
        }
        try await once()
        let before = Process.openDescriptors
        for _ in 0..<50 { try await once() }
        #expect(loader.plugins.isEmpty)
        // Suites beside this one open and close files too: less than one a round is no trace.
        #expect(Process.openDescriptors < before + 50)
        // The runtime still finds its way through all images.
        #expect((LocationFix.self as Any) is any SensorReading.Type)
    }

    @Test(
        "says what is wrong with a table",
        arguments: [
            (PluginFoundry.Fault.noTable, "gives no table"),
            (.otherTable, "has a table of boundary version 99"),
            (.shortTable, "it is 8 bytes long"),
            (.noFunction, "a function is missing"), (.otherID, "it says other 1.0.0"),
            (.noSymbol, "no function sensorium_plugin()"),
            (.willNotStart, "did not start: its daemon is missing; install it"),
            (.startsNothing, "did not start, and does not say why"),
        ])
    func tables(fault: PluginFoundry.Fault, expected: String) async throws {
        try await PluginFoundry.build(fault, to: folder / "faulty.so")
        let outcomes = outcomes(await loader.load(PluginSearchPath([folder.path])))
        #expect(outcomes.count == 1)
        #expect(outcomes[0].contains(expected), Comment(rawValue: outcomes[0]))
    }
}

/// The cases that are not part of this repository, where they are there.
enum Shared {
    static let folder: String? = {
        let given = getenv("SENSORIUM_SHARED").map { String(cString: $0) }
        let beside = #filePath.components(before: "/Tests/") + "/../shared"
        return [given, beside].compactMap { $0 }.first { Files.exists("\($0)/cases/files") }
    }()
}

/// What this process holds.
enum Process {
    static var openDescriptors: Int {
        FolderListing.names(in: "/proc/self/fd", where: { _ in true })?.count ?? 0
    }
}
