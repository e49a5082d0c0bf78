import Sensorium
import SensoriumPluginKit

/// `sensorium plugins`: where plugins were looked for, and what became of each file.
enum PluginsCommand {
    static let name = "plugins"

    static let command = Command(
        name: name,
        summary: "Shows where plugins are looked for, and what became of each file.",
        discussion: [
            "Folders are searched in this order: those of --plugin-dir; those of the variable "
                + "SENSORIUM_PLUGIN_PATH, with colons between them; this program's own folder (only "
                + "files named libSensorium*.so); lib/sensorium/plugins beside its bin; "
                + "$XDG_DATA_HOME/sensorium/plugins (~/.local/share by default); the system's.",
            "A JSON line is of a folder ('folder', 'origin', 'outcome': searched with 'files', "
                + "absent, or skipped with 'reason') or of a file ('file', 'outcome': loaded, skipped "
                + "or refused, 'plugin', 'version', 'kinds', and where there is one 'reason' and "
                + "'hint').",
        ],
        options: [StreamOptions.json.spec],
        examples: [
            .init("sensorium plugins", "All folders and files, each with its reason."),
            .init("sensorium plugins --plugin-dir .build/debug", "Those of a build, too."),
        ],
        commands: [PluginsCheckCommand.command, PluginsAllowCommand.command]
    ) { invocation, surroundings throws(CommandFailure) in
        try await invocation.withSensors(surroundings) { sensors throws(CommandFailure) in
            guard let report = sensors.report else { return .success }
            if invocation[StreamOptions.json] {
                for folder in report.folders { await surroundings.output.write(json(folder)) }
                for file in report.files { await surroundings.output.write(json(file)) }
            } else {
                for line in lines(report) { await surroundings.output.write(line + "\n") }
            }
            return .success
        }
    }

    // MARK: For people

    /// Folders, and below them the files.
    static func lines(_ report: LoadReport) -> [String] {
        var lines = report.folders.map { folder in
            "\(folder.path.printable): \(words(folder.outcome))"
        }
        if !report.files.isEmpty { lines.append("") }
        for file in report.files { lines += Self.lines(file) }
        return lines
    }

    private static func words(_ outcome: LoadReport.Folder.Outcome) -> String {
        switch outcome {
        case .searched(files: 0): "searched, nothing there"
        case .searched(files: 1): "searched, 1 file"
        case .searched(let files): "searched, \(files) files"
        case .absent: "not there"
        case .skipped(let why): "skipped: \(why)".printable
        }
    }

    private static func lines(_ file: LoadReport.File) -> [String] {
        switch file.outcome {
        case .loaded(let plugin):
            let manifest = plugin.manifest
            let kinds = manifest.kinds.map(\.name).joined(separator: ", ")
            return [
                "loaded   \(file.path.printable)",
                "         \(manifest.id) \(manifest.version): \(kinds)".printable,
            ]
        case .skipped(let why): return lines("skipped", file.path, why)
        case .refused(let why): return lines("refused", file.path, why)
        }
    }

    private static func lines(_ word: String, _ path: String, _ why: LoadRefusal) -> [String] {
        ["\(word)  \(path)".printable, "         \(why)".printable]
    }

    // MARK: JSON

    private static func json(_ folder: LoadReport.Folder) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("folder", folder.path)
            json.member("origin", folder.origin.rawValue)
            switch folder.outcome {
            case .searched(let files):
                json.member("outcome", "searched")
                json.member("files", files)
            case .absent: json.member("outcome", "absent")
            case .skipped(let why): write("skipped", why, to: &json)
            }
        }
        json.newLine()
        return json.bytes
    }

    private static func json(_ file: LoadReport.File) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("file", file.path)
            switch file.outcome {
            case .loaded: json.member("outcome", "loaded")
            case .skipped(let why): write("skipped", why, to: &json)
            case .refused(let why): write("refused", why, to: &json)
            }
            if let note = file.note {
                json.member("plugin", note.id)
                json.member("version", note.version)
                json.member("kinds", array: kinds(note)) { $0.element($1) }
            }
        }
        json.newLine()
        return json.bytes
    }

    private static func kinds(_ note: PluginNote) -> [String] {
        SensorKind.allCases.filter { note.kindMask >> UInt64($0.rawValue) & 1 == 1 }.map(\.name)
    }

    private static func write(_ outcome: String, _ why: LoadRefusal, to json: inout JSONWriter) {
        json.member("outcome", outcome)
        json.member("reason", why.reason)
        json.member("hint", why.hint)
    }
}
