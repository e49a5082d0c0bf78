import Sensorium
import SensoriumRecording

/// Messages of two channels, and what became of them in a file.
struct MCAPFile {
    /// One message, with its payload.
    struct Message: Equatable {
        var channel: UInt16
        var sequence: UInt32
        var time: UInt64
        var published: UInt64
        var payload: [UInt8]
    }

    static let metadata = MCAPMetadata(name: "trip", values: ["b": "2", "a": "1", "": "ü"])
    static let channels = [
        MessageChannel(
            topic: "/a", encoding: "json",
            schema: MessageSchema(name: "A", encoding: "jsonschema", text: Array("{}".utf8)),
            metadata: ["unit": "m"]),
        MessageChannel(topic: "/b", encoding: "raw", schema: nil),
    ]
    /// Every way of writing.
    static let options: [MCAPOptions] =
        [MCAPOptions(compression: .none, chunkSize: 0)]
        + MCAPCompression.allCases.filter(\.isAvailable).map {
            MCAPOptions(compression: $0, chunkSize: 400)
        }

    /// The message of that number.
    static func message(_ number: Int) -> Message {
        let isFirst = number % 3 != 0
        let count = number % 7 == 0 ? 0 : number * 11 % 90
        return Message(
            channel: isFirst ? 1 : 2,
            sequence: UInt32(isFirst ? number - number / 3 - 1 : number / 3),
            time: UInt64(1000 + number * 10), published: UInt64(900 + number * 10),
            payload: (0..<count).map { UInt8(truncatingIfNeeded: $0 &* number) })
    }

    /// Writes `count` messages; not finished, the file ends behind what was flushed.
    @discardableResult
    static func write(
        _ path: String, _ count: Int, _ options: MCAPOptions, isFinished: Bool = true
    ) throws -> MCAPFileWriter {
        let writer = try MCAPFileWriter(path, library: "tests", options: options)
        let channels = try channels.map { try writer.add($0) }
        try writer.add(metadata)
        for number in 0..<count {
            let message = message(number)
            try message.payload.withUnsafeBytes {
                try writer.write(
                    channels[Int(message.channel) - 1], logTime: message.time,
                    publishTime: message.published, payload: $0)
            }
        }
        if isFinished { try writer.finish() } else { try writer.flush() }
        return writer
    }

    let messages: [Message]
    let damage: RecordingDamage

    /// Reads a file to its end.
    init(_ path: String) throws { try self.init(MCAPFileReader(path)) }

    init(_ reader: MCAPFileReader) throws {
        var messages: [Message] = []
        while let message = try reader.next() {
            messages.append(
                Message(
                    channel: message.channel, sequence: message.sequence, time: message.logTime,
                    published: message.publishTime, payload: Array(message.payload)))
        }
        self.messages = messages
        damage = reader.damage
    }

    /// The numbers of the messages; nil for one that was never written.
    var numbers: [Int?] {
        messages.map { message in
            let number = (Int(message.time) - 1000) / 10
            return number >= 0 && Self.message(number) == message ? number : nil
        }
    }

    /// Where records begin and end, those in chunks left out.
    static func records(of bytes: [UInt8]) -> [(opcode: UInt8, range: Range<Int>)] {
        var list: [(opcode: UInt8, range: Range<Int>)] = []
        var place = 8
        while place + 9 <= bytes.count {
            let length = bytes[place + 1..<place + 9].reversed().reduce(0) { $0 << 8 | Int($1) }
            guard place + 9 + length <= bytes.count else { break }
            list.append((bytes[place], place..<place + 9 + length))
            place += 9 + length
        }
        return list
    }
}
