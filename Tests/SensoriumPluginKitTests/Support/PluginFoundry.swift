import Dispatch
import Glibc
import Sensorium
import Testing

@testable import SensoriumPluginKit

/// Builds plugins from the C files in `Fixtures/` with the compiler of this machine.
enum PluginFoundry {
    /// The C compilers of this machine, the toolchain's first.
    static let compilers: [String] = {
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        let folders = path.split(separator: ":").map(String.init) + ["/opt/swift/usr/bin"]
        return ["clang", "gcc", "cc"].compactMap { name in
            folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
        }
    }()

    /// The one that tests use; nil where there is none.
    static var compiler: String? { compilers.first }

    /// Why a test that needs a compiler is skipped.
    static let skipReason: Comment = "no C compiler (clang, cc or gcc) in PATH"

    private static let sources: String = {
        let here = #filePath
        return here.components(before: "/Support/")
    }()

    /// `include/` of the boundary.
    static let include = sources.components(before: "/Tests/") + "/Sources/CSensorium/include"

    /// Builds `Fixtures/<source>.c` into `output`.
    static func build(
        _ source: String, to output: String, defining definitions: [String] = [],
        linking libraries: [String] = [], by other: String? = nil
    ) async throws {
        let compiler = try #require(other ?? compiler)
        let result = try await ChildProcess.run(
            [
                compiler, "-std=gnu11", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror",
                "-pthread", "-I", include,
            ] + definitions.map { "-D\($0)" } + [
                "\(sources)/Fixtures/\(source).c", "-o", output,
            ] + libraries)
        try #require(result.status == 0, Comment(rawValue: result.output))
    }

    /// Builds the plugin with one of the faults that `faulty.c` numbers.
    static func build(
        _ fault: Fault, to output: String, id: String = "faulty", mark: String = "/nowhere"
    ) async throws {
        try await build(
            "faulty", to: output,
            defining: ["FAULT=\(fault.rawValue)", "ID=\"\(id)\"", "MARK=\"\(mark)\""])
    }

    /// The faults of `faulty.c`, in its order.
    enum Fault: Int, CaseIterable {
        case noNote = 1
        case otherBoundary, noTable, otherTable, shortTable, noFunction, otherID, willNotStart
        case startsNothing, neverStarts, noSymbol, undefinedSymbol, crashesInConstructor
        case crashesInStart, crashesInDiscover, overflowsInDiscover, abortsInDiscover
        case exitsInDiscover, hangsInDiscover, neverDiscovers, lies, neverOpens, neverCloses
        case opensNothing, marksItsConstructor
    }
}

/// A folder of a test's own, removed with its last reference.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/sensorium-tests-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // Others must get at what lies in it, in the tests that run as nobody.
        chmod(path, 0o755)
    }

    deinit {
        Self.remove(path)
    }

    private static func remove(_ path: String) {
        if FileStatus.ofLink(path)?.format == S_IFDIR {
            for name in FolderListing.names(in: path, where: { $0 != "." && $0 != ".." }) ?? [] {
                remove("\(path)/\(name)")
            }
        }
        Glibc.remove(path)
    }

    static func / (folder: TemporaryFolder, name: String) -> String { "\(folder.path)/\(name)" }
}

/// Small things with files.
enum Files {
    static func write(_ bytes: [UInt8], to path: String, mode: mode_t = 0o644) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        try #require(Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
        fchmod(descriptor, mode)
    }

    static func read(_ path: String) throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        var status = stat()
        fstat(descriptor, &status)
        return [UInt8](unsafeUninitializedCapacity: Int(status.st_size)) { buffer, count in
            count = max(0, Glibc.read(descriptor, buffer.baseAddress, buffer.count))
        }
    }

    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Where SwiftPM has put what it built: the folder of this program, which is a test bundle.
    static let products: String = {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &buffer, buffer.count)
        let program = String(
            decoding: buffer.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return program.components(before: "/", last: true)
    }()

    /// The plugin in Swift.
    static let fixture = products + "/libFixturePlugin.so"
}

extension String {
    /// What is before a mark: its first one, or its last one; all of it, where there is none.
    func components(before mark: String, last: Bool = false) -> String {
        var (index, found) = (startIndex, endIndex)
        while index < endIndex {
            if self[index...].hasPrefix(mark) {
                found = index
                if !last { break }
            }
            index = self.index(after: index)
        }
        return String(self[..<found])
    }
}
