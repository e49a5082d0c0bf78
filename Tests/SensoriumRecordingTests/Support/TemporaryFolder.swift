import Glibc
import SensoriumRecording

/// A folder of a test's own, which goes with it.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/sensorium-recording-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw TestFault("no temporary folder: \(errno)") }
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
    func write(_ bytes: [UInt8], as name: String) throws -> String {
        let file = try OutputFile("\(path)/\(name)")
        try file.write(bytes)
        try file.finish()
        return file.path
    }

    /// The bytes of a file.
    func read(_ name: String) throws -> [UInt8] {
        let file = try InputFile("\(path)/\(name)")
        var bytes = [UInt8](repeating: 0, count: Int(file.size))
        let count = try file.read(into: &bytes, at: 0)
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}

/// Why a test could not even begin.
struct TestFault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
