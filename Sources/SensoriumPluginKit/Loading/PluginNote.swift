import CSensorium
import Glibc
public import Sensorium

/// What a plugin says of itself before any of its code runs.
///
/// The macro `SENSORIUM_PLUGIN` of `sensorium_plugin.h` writes it into the ELF section
/// `.note.sensorium`; the host reads it from the file.
public struct PluginNote: Sendable, Hashable {
    /// The version of the boundary that the plugin was built against.
    public var boundary: UInt32
    /// The plugin's short name, the first part of its sensors' ids: `gpsd`.
    public var id: String
    /// The plugin's own version.
    public var version: String
    /// The kinds of sensors that it can have: bit `k` stands for the kind with the code `k`.
    public var kindMask: UInt64

    /// The kinds that this host knows, in the order of their codes.
    public var kinds: [SensorKind] {
        SensorKind.allCases.filter { kindMask & (1 << UInt64($0.rawValue)) != 0 }
    }

    /// The boundary version of this host.
    public static let hostBoundary: UInt32 = SENSORIUM_BOUNDARY

    /// Makes a note by hand, for a test or a plugin that is linked statically.
    public init(boundary: UInt32 = hostBoundary, id: String, version: String, kindMask: UInt64) {
        self.boundary = boundary
        self.id = id
        self.version = version
        self.kindMask = kindMask
    }
}

extension PluginNote {
    private static let name = Array("Sensorium\0".utf8)
    private static let fieldSize = Int(SENSORIUM_NOTE_TEXT)
    private static let size = 12 + 2 * fieldSize
    /// No linker collects more notes than this; the rest of a larger segment is not looked at.
    private static let segmentLimit: UInt64 = 1 << 16

    /// Finds the note of a file that has passed the checks of ``ELFImage``.
    init(_ file: FileBytes, image: ELFImage) throws(LoadRefusal) {
        var found: PluginNote?
        for segment in image.segments where segment.type == UInt32(PT_NOTE) {
            let length = Int(min(segment.fileSize, Self.segmentLimit))
            guard let run = file.bytes(at: segment.offset, count: length) else {
                throw .truncated("its notes are cut off")
            }
            for description in Self.descriptions(in: run, alignment: segment.alignment) {
                let note = try PluginNote(description: description)
                guard found == nil || found == note else {
                    throw LoadRefusal(
                        "holds two plugins, \(found?.id ?? "") and \(note.id)",
                        hint: "build one shared library for each")
                }
                found = note
            }
        }
        guard let found else {
            throw LoadRefusal(
                "is a shared library, but not a Sensorium plugin (it has no .note.sensorium)",
                hint: "move it elsewhere")
        }
        self = found
    }

    /// The descriptions of all of Sensorium's notes in a segment.
    private static func descriptions(in run: ByteRun, alignment: UInt64) -> [ByteRun] {
        let alignment: UInt64 = alignment == 8 ? 8 : 4
        let end = UInt64(run.bytes.count)
        var result: [ByteRun] = []
        var at: UInt64 = 0
        // Each step moves on by 12 bytes or more, and the run is at most 64 KiB.
        while let nameSize = run.number(UInt32.self, at: Int(at)),
            let descriptionSize = run.number(UInt32.self, at: Int(at) + 4),
            let type = run.number(UInt32.self, at: Int(at) + 8)
        {
            let name = at + 12
            guard
                let start = (name + UInt64(nameSize)).aligned(to: alignment),
                let next = (start + UInt64(descriptionSize)).aligned(to: alignment),
                start + UInt64(descriptionSize) <= end
            else { break }
            let nameBytes = run.bytes[Int(name)..<Int(name + UInt64(nameSize))]
            if type == SENSORIUM_NOTE_TYPE, nameBytes.elementsEqual(Self.name) {
                let bytes = run.bytes[Int(start)..<Int(start) + Int(descriptionSize)]
                result.append(ByteRun(bytes: Array(bytes)))
            }
            guard next < end else { break }
            at = next
        }
        return result
    }

    private init(description run: ByteRun) throws(LoadRefusal) {
        guard let boundary = run.number(UInt32.self, at: 0) else {
            throw .damaged("its note is empty")
        }
        // Another version may lay out the rest in another way, so the version is judged first.
        guard boundary == Self.hostBoundary else {
            throw LoadRefusal(
                "speaks boundary version \(boundary), and this host speaks version "
                    + "\(Self.hostBoundary)",
                hint: "build the plugin with this host's sensorium_plugin.h")
        }
        guard run.bytes.count == Self.size,
            let low = run.number(UInt32.self, at: 4), let high = run.number(UInt32.self, at: 8)
        else {
            throw .damaged("its note is \(run.bytes.count) bytes long, not \(Self.size)")
        }
        guard let id = run.string(at: 12, limit: Self.fieldSize), Self.isName(id) else {
            throw .damaged("the id in its note is not 1 to 31 of a-z, 0-9, '-', '_' and '.'")
        }
        guard let version = run.string(at: 12 + Self.fieldSize, limit: Self.fieldSize) else {
            throw .damaged("the version in its note is not text")
        }
        let kindMask = UInt64(high) << 32 | UInt64(low)
        self.init(boundary: boundary, id: id, version: version, kindMask: kindMask)
    }

    private static func isName(_ id: String) -> Bool {
        !id.isEmpty
            && id.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }
}
