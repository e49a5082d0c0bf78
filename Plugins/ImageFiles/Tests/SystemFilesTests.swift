import Glibc
import ImageFilesPlugin
import Sensorium
import SensoriumImages
import SensoriumTestKit
import Testing

@Suite("image files of this machine", .timeLimit(.minutes(1)))
struct SystemFilesTests {
    private func camera(_ path: String) async throws -> any Sensor {
        let plugin = ImageFiles(
            host: PluginHost(configuration: { $0 == "image-files.path" ? path : nil }))
        return try #require(try await plugin.discover().first)
    }

    @Test("reads files and folders of the disk")
    func reads() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(y4m([1]), as: "a.y4m")
        try folder.write(jpeg(2), as: "b.jpg")
        #expect(try await camera(path).descriptor.name == "a.y4m, 4x2 GREY")
        #expect(try await camera(folder.path).descriptor.name.hasSuffix(", 16x8 MJPG"))
        #expect(try await camera(path).authorization == .authorized)
    }

    #if Images
    @Test("reads PNG pictures as RGB24")
    func png() async throws {
        let folder = try TemporaryFolder()
        let picture = try #require(Picture(width: 3, height: 2))
        let path = try folder.write(PNG.encode(picture), as: "a.png")
        #expect(try await camera(path).descriptor.name == "a.png, 3x2 RGB3")
    }
    #endif

    @Test("refuses what is no file, at once")
    func pipe() async throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/pipe"
        #expect(mkfifo(path, 0o600) == 0)
        let error = await #expect(throws: SensorError.self) { try await camera(path) }
        #expect(error?.reason == "\(path): it is no regular file")
        let missing = await #expect(throws: SensorError.self) { try await camera("\(path)/x") }
        #expect(missing?.reason.hasSuffix("(ENOENT)") == true)
    }
}

/// A folder of a test's own, which goes with it.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/sensorium-pictures-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SpyError("no temporary folder: \(errno)") }
        path = template.withUnsafeBufferPointer { buffer in
            String(decoding: buffer.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }

    deinit {
        guard let folder = opendir(path) else { return }
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { unlink("\(path)/\(name)") }
        }
        closedir(folder)
        rmdir(path)
    }

    /// Writes a file and gives its path.
    @discardableResult
    func write(_ bytes: [UInt8], as name: String) throws -> String {
        let path = "\(path)/\(name)"
        guard let file = fopen(path, "w") else { throw SpyError("\(path): error \(errno)") }
        defer { fclose(file) }
        guard fwrite(bytes, 1, bytes.count, file) == bytes.count else {
            throw SpyError("\(path): error \(errno)")
        }
        return path
    }
}
