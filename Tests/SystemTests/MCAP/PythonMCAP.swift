import Glibc
import Sensorium
import SensoriumRecording
import Testing

/// The Python packages for MCAP, through `beside.py`.
enum PythonMCAP {
    private static let folder =
        "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    private static let script =
        "/" + #filePath.split(separator: "/").dropLast().joined(separator: "/") + "/beside.py"
    private static let python = "\(folder)/.venv/bin/python"
    /// Whether they are installed; `make test` does that.
    static let isInstalled = access("\(folder)/.venv/packages", R_OK) == 0

    /// The lines that `beside.py` prints.
    static func lines(_ words: String...) throws -> [String] {
        let scratch = try ScratchFolder()
        let output = "\(scratch.path)/output"
        let quoted = ([python, script] + words).map { "'\($0)'" }.joined(separator: " ")
        let command = "exec \(quoted) >'\(output)' 2>'\(scratch.path)/errors'"
        let status = system(command)
        let errors = String(decoding: try bytes("\(scratch.path)/errors"), as: UTF8.self)
        try #require(status == 0, "\(words): \(errors)")
        return String(decoding: try bytes(output), as: UTF8.self).split(separator: "\n")
            .map(String.init)
    }

    private static func bytes(_ path: String) throws -> [UInt8] {
        let file = try InputFile(path)
        var bytes = [UInt8](repeating: 0, count: Int(file.size))
        _ = try file.read(into: &bytes, at: 0)
        return bytes
    }
}
