/// The user's file of settings: lines of `key=value`, empty lines, and comments that begin with `#`.
struct ConfigurationFile {
    /// Where it lies.
    let path: String

    /// The file of the user whose environment this is; nil where there is no home.
    ///
    /// Source: XDG Base Directory Specification, which says to ignore relative paths.
    init?(environment: [String: String]) {
        if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") {
            path = "\(folder)/sensorium/config"
        } else if let home = environment["HOME"], !home.isEmpty {
            path = "\(home)/.config/sensorium/config"
        } else {
            return nil
        }
    }

    /// Makes one of a path.
    init(path: String) { self.path = path }

    /// Reads it.
    ///
    /// A file that is not there holds nothing.
    func settings() throws(CommandFailure) -> Settings {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try FileError.contents(of: path, atMost: 1 << 20)
        } catch {
            if error.isMissing { return Settings() }
            throw CommandFailure(
                .noInput, "\(path.printable) cannot be read: \(error)",
                hint: "make it a readable file, or remove it")
        }
        return try settings(in: bytes)
    }

    /// Reads `bytes` as its contents.
    func settings(in bytes: [UInt8]) throws(CommandFailure) -> Settings {
        var settings = Settings()
        var number = 0
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            guard let text = String(validating: line, as: UTF8.self) else {
                throw bad(number, "is not UTF-8 text")
            }
            let shown = text.hasSuffix("\r") ? text.dropLast() : text[...]
            let trimmed = Setting.trimmed(shown)
            if trimmed.isEmpty || trimmed.hasPrefix("#") { continue }
            guard let setting = Setting(trimmed) else {
                throw bad(number, "is not key=value: '\(String(trimmed).printable)'")
            }
            settings.set(setting)
        }
        return settings
    }

    private func bad(_ line: Int, _ reason: String) -> CommandFailure {
        CommandFailure(
            .badData, "\(path.printable):\(line) \(reason)",
            hint: "write lines like gpsd.address=127.0.0.1:2947, and # before comments")
    }
}
