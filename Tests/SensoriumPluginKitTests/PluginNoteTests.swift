import CSensorium
import Glibc
import Testing

@testable import SensoriumPluginKit

@Suite("plugin note", .timeLimit(.minutes(1)))
struct PluginNoteTests {
    /// The smallest shared library that passes: a header, three segments, and notes.
    struct Library {
        var notes: [[UInt8]]
        var alignment: UInt64 = 4

        var bytes: [UInt8] {
            let body = notes.flatMap { $0 }
            let start = 64 + 3 * 56
            var bytes: [UInt8] =
                [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1] + [UInt8](repeating: 0, count: 9)
            bytes += little(UInt16(ET_DYN)) + little(ELFMachine.native.code) + little(UInt32(1))
            bytes += little(UInt64(0)) + little(UInt64(64)) + little(UInt64(0)) + little(UInt32(0))
            bytes += little(UInt16(64)) + little(UInt16(56)) + little(UInt16(3))
            bytes += [UInt8](repeating: 0, count: 6)
            let size = start + body.count
            bytes += segment(PT_LOAD, 0, size, 4096) + segment(PT_DYNAMIC, start, 0, 8)
            bytes += segment(PT_NOTE, start, body.count, Int(alignment))
            return bytes + body
        }

        private func segment(
            _ type: some BinaryInteger, _ offset: Int, _ size: Int, _ alignment: Int
        ) -> [UInt8] {
            little(UInt32(type)) + little(UInt32(4)) + little(UInt64(offset))
                + little(UInt64(offset)) + little(UInt64(offset)) + little(UInt64(size))
                + little(UInt64(size)) + little(UInt64(alignment))
        }
    }

    private static func note(
        name: String = "Sensorium\0", type: UInt32 = 1, boundary: UInt32 = 0, id: String = "gpsd",
        version: String = "0.1.0", kinds: UInt64 = 0b110, padding: Int = 0
    ) -> [UInt8] {
        func field(_ text: String) -> [UInt8] {
            Array(text.utf8) + [UInt8](repeating: 0, count: max(0, 32 - text.utf8.count))
        }
        let description =
            little(boundary) + little(UInt32(truncatingIfNeeded: kinds))
            + little(UInt32(kinds >> 32)) + field(id) + field(version)
            + [UInt8](repeating: 0, count: padding)
        let nameBytes = Array(name.utf8)
        let gap = [UInt8](repeating: 0, count: (4 - nameBytes.count % 4) % 4)
        return little(UInt32(nameBytes.count)) + little(UInt32(description.count)) + little(type)
            + nameBytes + gap + description
    }

    private func read(_ notes: [UInt8]...) throws(LoadRefusal) -> PluginNote {
        let file = FileBytes(Library(notes: notes).bytes)
        return try PluginNote(file, image: ELFImage(file))
    }

    private func refusal(_ notes: [UInt8]...) -> String? {
        do throws(LoadRefusal) {
            let file = FileBytes(Library(notes: notes).bytes)
            _ = try PluginNote(file, image: ELFImage(file))
            return nil
        } catch {
            return error.description
        }
    }

    @Test("is found among other notes")
    func among() throws {
        let other = Self.note(name: "GNU\0", type: 3)
        let note = try read(other, Self.note(type: 2), Self.note(), other)
        #expect(note == PluginNote(boundary: 0, id: "gpsd", version: "0.1.0", kindMask: 0b110))
        #expect(note.kinds == [.location, .satellites])
    }

    @Test("of another boundary is refused with both versions, whatever else it says")
    func boundary() {
        let reason = refusal(Self.note(boundary: 99, id: "GPSD!", padding: 400))
        #expect(reason?.contains("boundary version 99") == true)
        #expect(reason?.contains("speaks version \(SENSORIUM_BOUNDARY)") == true)
    }

    @Test(
        "with a bad id is refused",
        arguments: ["", "GPSD", "gps d", "gpsd/x", "gpsé", String(repeating: "a", count: 32)])
    func badID(id: String) {
        #expect(refusal(Self.note(id: id))?.contains("the id in its note") == true)
    }

    @Test("may be there twice if it says the same")
    func twice() throws {
        #expect(try read(Self.note(), Self.note()).id == "gpsd")
        #expect(refusal(Self.note(), Self.note(id: "iio"))?.contains("two plugins") == true)
    }

    @Test("of another length is refused")
    func length() {
        #expect(refusal(Self.note(padding: 4))?.contains("80 bytes") == true)
    }

    @Test("that reaches past its segment is not read")
    func past() {
        var note = Self.note()
        note[4] = 0xff
        note[5] = 0xff
        #expect(refusal(note)?.contains("not a Sensorium plugin") == true)
    }

    @Test("ignores kinds that this host does not know")
    func kinds() throws {
        #expect(try read(Self.note(kinds: 1 << 63 | 1 << 1 | 1)).kinds == [.location])
    }
}

private func little<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) }
}
