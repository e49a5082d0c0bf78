import Sensorium

/// A kind of file that recordings are kept in.
///
/// Other modules add formats: a list of them is given to `open(_:among:)`.
public struct RecordingFormat: Sendable {
    /// Opens a file for reading.
    public typealias Opener =
        @Sendable (_ path: String) throws(RecordingError) -> sending any RecordingReader
    /// Creates a file, in place of one that is there.
    public typealias Creator =
        @Sendable (_ path: String, _ metadata: RecordingMetadata) throws(RecordingError) ->
        sending any RecordingWriter

    /// A short name: `mcap`, `gpx`.
    public var name: String
    /// What names of such files end with, in lower case, without the dot.
    public var fileExtensions: [String]
    /// What it has a place for; readings of other kinds are left out when it is written.
    public var kinds: Set<SensorKind>
    /// Whether a file that starts with these bytes (4096 at most) is of this format.
    public var recognizes: @Sendable (_ start: [UInt8]) -> Bool
    /// Opens a file for reading.
    public var open: Opener
    /// Creates a file; nil where this package does not write the format.
    public var create: Creator?

    /// Makes a format.
    public init(
        name: String, fileExtensions: [String],
        kinds: Set<SensorKind> = Set(SensorKind.allCases),
        recognizes: @escaping @Sendable (_ start: [UInt8]) -> Bool,
        open: @escaping Opener, create: Creator? = nil
    ) {
        self.name = name
        self.fileExtensions = fileExtensions
        self.kinds = kinds
        self.recognizes = recognizes
        self.open = open
        self.create = create
    }

    /// The formats of this module, the surest to recognize first.
    public static var all: [RecordingFormat] { [.mcap, .gpx, .gpsd, .nmea, .csv] }

    /// The format that the name of a file asks for; nil where none does.
    public static func named(
        like path: String, among formats: [RecordingFormat] = all
    ) -> RecordingFormat? {
        guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/") else { return nil }
        let ending = path[path.index(after: dot)...].lowercased()
        return formats.first { $0.fileExtensions.contains(ending) }
    }

    /// The format of a file by its first bytes, then by its name.
    ///
    /// - Throws: `RecordingError.empty`, `.unreadable` or `.unrecognized`.
    public static func of(
        _ path: String, among formats: [RecordingFormat] = all
    ) throws(RecordingError) -> RecordingFormat {
        let start = try InputFile(path).start()
        if start.isEmpty {
            throw RecordingError(
                .empty, path: path, reason: "it has no bytes",
                hint: "was the disk full, or the recorder killed at once?")
        }
        if let format = formats.first(where: { $0.recognizes(start) }) { return format }
        if let format = named(like: path, among: formats) { return format }
        throw RecordingError(
            .unrecognized, path: path,
            reason: "neither its first bytes nor its name say what it is",
            hint: "known are " + formats.map(\.name).joined(separator: ", "))
    }

    /// Opens a recording of any of `formats`.
    public static func open(
        _ path: String, among formats: [RecordingFormat] = all
    ) throws(RecordingError) -> sending any RecordingReader {
        try of(path, among: formats).open(path)
    }

    /// Creates a recording of live sensors, of the format that the name of the file asks for.
    ///
    /// A file that is there is replaced.
    ///
    /// - Parameter clock: what stamps the events; its offset to UTC now is written down.
    /// - Throws: `RecordingError.unsupported` for a name that asks for no format that can be written.
    public static func create(
        _ path: String, clock: any SensorClock, writer: String = "",
        among formats: [RecordingFormat] = all
    ) throws(RecordingError) -> sending any RecordingWriter {
        guard let create = named(like: path, among: formats)?.create else {
            let known = formats.filter { $0.create != nil }.map(\.name)
            throw RecordingError(
                .unsupported, path: path, reason: "its name asks for no format that can be written",
                hint: "end it with one of " + known.joined(separator: ", "))
        }
        return try create(path, RecordingMetadata(clock: RecordingClock(of: clock), writer: writer))
    }
}
