import Glibc
import Sensorium
import SensoriumRecording
import Testing

@Suite("Recording format", .timeLimit(.minutes(1)))
struct RecordingFormatTests {
    private static let notes = RecordingFormat(
        name: "notes", fileExtensions: ["notes", "txt"], recognizes: { $0.starts(with: [0x23]) },
        open: { path throws(RecordingError) in
            throw RecordingError(.unsupported, path: path, reason: "nobody reads notes")
        })

    @Test("the name of a file says its format, whatever the case of its ending")
    func named() {
        #expect(RecordingFormat.named(like: "a.b/walk.TXT", among: [Self.notes])?.name == "notes")
        #expect(RecordingFormat.named(like: "a.txt/walk", among: [Self.notes]) == nil)
        #expect(RecordingFormat.named(like: "walk.", among: [Self.notes]) == nil)
    }

    @Test("the first bytes of a file say more than its name")
    func recognized() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write([0x23, 0x20], as: "walk.xyz")
        #expect(try RecordingFormat.of(path, among: [Self.notes]).name == "notes")
    }

    @Test("a file without a byte, without a format or without a name is refused with a sentence")
    func refused() throws {
        let folder = try TemporaryFolder()
        let empty = try folder.write([], as: "walk.txt")
        let strange = try folder.write([1, 2], as: "walk.xyz")
        func error(_ path: String) -> RecordingError? {
            #expect(throws: RecordingError.self) {
                try RecordingFormat.of(path, among: [Self.notes])
            }
        }
        #expect(error(empty)?.condition == .empty)
        #expect(error(strange)?.condition == .unrecognized)
        #expect(error(strange)?.hint == "known are notes")
        #expect(error(folder.path)?.condition == .unreadable)
        #expect(
            error(folder.path + "/none")?.description
                == "\(folder.path)/none cannot be read: no such file or directory; is the name right?"
        )
    }
}
