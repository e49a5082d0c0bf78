import Glibc
import SensoriumTestKit

/// A folder for what a command writes, gone at the end of the test with all that is in it.
final class ScratchFolder: Sendable {
    private let folder: String

    init() throws {
        var template = Array("/tmp/sensorium-scratch-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SpyError("no temporary folder: \(errno)") }
        folder = String(
            decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        for name in names { unlink(path(name)) }
        rmdir(folder)
    }

    /// The path of a file in it.
    func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// The names of the files in it.
    var names: [String] {
        guard let folder = opendir(folder) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// The bytes of a file.
    func read(_ name: String) throws -> [UInt8] {
        guard let file = fopen(path(name), "r") else { throw SpyError("no \(name): \(errno)") }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&piece, 1, piece.count, file)
            if count == 0 { return bytes }
            bytes += piece[..<count]
        }
    }

    /// Writes a file.
    func write(_ bytes: [UInt8], as name: String) throws {
        guard let file = fopen(path(name), "w") else { throw SpyError("no \(name): \(errno)") }
        defer { fclose(file) }
        guard fwrite(bytes, 1, bytes.count, file) == bytes.count else {
            throw SpyError("\(name): \(errno)")
        }
    }
}
