import Sensorium
import SensoriumRecording

/// What commands that read or write recordings have in common.
enum RecordingArguments {
    static let input = Argument(
        "FILE", "A recording: \(formatNames { _ in true }).", completion: .file)
    static let force = Flag("force", "Replace the file that is there already.")
    static let rate = Option(
        "rate", "HZ", .positive,
        "How many a second to take readings as, where the file gives no times at all.")

    /// The formats that fit, for sentences: `mcap, gpx`.
    static func formatNames(_ fits: (RecordingFormat) -> Bool) -> String {
        RecordingFormat.all.filter(fits).map(\.name).joined(separator: ", ")
    }

    /// The format that the name of a file to write asks for, and the way to create it.
    static func formatToWrite(
        _ path: String
    ) throws(CommandFailure) -> (RecordingFormat, RecordingFormat.Creator) {
        let known = formatNames { $0.create != nil }
        guard let format = RecordingFormat.named(like: path) else {
            throw .misuse(
                "the name '\(path.printable)' does not say what to write",
                hint: "end it with the name of a format: \(known)")
        }
        guard let create = format.create else {
            throw .misuse(
                "\(format.name) can be read, but not written", hint: "what can be is \(known)")
        }
        return (format, create)
    }

    /// The sensors that words name, by id or by kind; all where there is no word.
    static func choose(
        _ words: [String], from sensors: [RecordedSensor], of path: String
    ) throws(CommandFailure) -> [RecordedSensor] {
        if words.isEmpty { return sensors }
        var chosen: [RecordedSensor] = []
        for word in words {
            let named = sensors.filter { $0.id.rawValue == word || $0.kind.name == word }
            if named.isEmpty {
                let there = sensors.map(\.id.rawValue.printable).joined(separator: ", ")
                throw CommandFailure(
                    .unavailable, "\(path.printable) has no sensor '\(word.printable)'",
                    hint: there.isEmpty ? "it has none at all" : "it has \(there)")
            }
            chosen += named.filter { new in !chosen.contains { $0.id == new.id } }
        }
        return chosen
    }
}

extension CommandFailure {
    /// The failure of a command that could not do without the file.
    init(_ error: RecordingError) {
        let code: ExitCode =
            switch error.condition {
            case .unreadable, .denied: .noInput
            case .empty, .unrecognized, .malformed: .badData
            case .unsupported: .unavailable
            case .unwritable, .full: .inputOutput
            case .misuse: .internalFault
            }
        self.init(code, "\(error)")
    }

    /// Runs `work`, whose recording could not be used where it throws.
    static func ofRecording<Value>(
        _ work: () throws(RecordingError) -> sending Value
    ) throws(CommandFailure) -> sending Value {
        do throws(RecordingError) {
            return try work()
        } catch {
            throw CommandFailure(error)
        }
    }
}
