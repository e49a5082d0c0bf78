import Glibc
import Sensorium
import SensoriumRecording
import Testing

/// A file that is gone at the end of the test.
final class TemporaryFile: Sendable {
    private let folder: String
    let path: String

    /// Makes a place for a file, and the file where there is a text for it.
    init(_ name: String, holding text: String? = nil) throws {
        var template = Array("/tmp/sensorium-file-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        path = "\(folder)/\(name)"
        guard let text else { return }
        let file = try OutputFile(path)
        try file.write(Array(text.utf8))
        try file.finish()
    }

    /// Makes a file of the format that its name asks for.
    convenience init(_ name: String, holding recording: MemoryRecording) throws {
        try self.init(name)
        let create = try #require(RecordingFormat.named(like: name)?.create)
        try recording.write(to: create(path, recording.metadata))
    }

    deinit {
        unlink(path)
        rmdir(folder)
    }

    /// What is in it.
    var content: MemoryRecording {
        get throws { try MemoryRecording(reading: RecordingFormat.open(path)) }
    }

    /// Its bytes as text.
    var text: String {
        get throws {
            let file = try InputFile(path)
            var bytes = [UInt8](repeating: 0, count: Int(file.size))
            let count = try file.read(into: &bytes, at: 0)
            return String(decoding: bytes[..<count], as: UTF8.self)
        }
    }

    /// Whether it is there.
    var isThere: Bool { access(path, F_OK) == 0 }

    /// A path beside it.
    func beside(_ name: String) -> String { "\(folder)/\(name)" }
}
