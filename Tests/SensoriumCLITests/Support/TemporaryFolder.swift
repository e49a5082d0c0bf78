import Glibc

/// A folder that is gone at the end of the test.
final class TemporaryFolder {
    struct Failure: Error {
        var what: String
        var code: Int32
    }

    let path: String
    private var made: [String] = []

    init() throws {
        var template = Array("/tmp/sensorium-cli-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure(what: "mkdtemp", code: errno) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        for name in made.reversed() { remove("\(path)/\(name)") }
        rmdir(path)
    }

    /// Writes a file, and makes the folders above it.
    func write(_ name: String, _ text: String) throws {
        var folder = ""
        for part in name.split(separator: "/").dropLast() {
            folder += (folder.isEmpty ? "" : "/") + part
            if mkdir("\(path)/\(folder)", 0o700) == 0 { made.append(folder) }
        }
        let descriptor = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard descriptor >= 0 else { throw Failure(what: "open \(name)", code: errno) }
        defer { close(descriptor) }
        made.append(name)
        let bytes = Array(text.utf8)
        guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
            throw Failure(what: "write \(name)", code: errno)
        }
    }
}
