/// What a record of an MCAP file is.
package enum MCAPOpcode: UInt8, Sendable {
    case header = 0x01
    case footer = 0x02
    case schema = 0x03
    case channel = 0x04
    case message = 0x05
    case chunk = 0x06
    case messageIndex = 0x07
    case chunkIndex = 0x08
    case attachment = 0x09
    case attachmentIndex = 0x0a
    case statistics = 0x0b
    case metadata = 0x0c
    case metadataIndex = 0x0d
    case summaryOffset = 0x0e
    case dataEnd = 0x0f
}

/// Facts of the format.
package enum MCAP {
    /// What a file begins and ends with.
    package static let magic: [UInt8] = [0x89, 0x4d, 0x43, 0x41, 0x50, 0x30, 0x0d, 0x0a]
    /// Opcode and length.
    static let recordHead = 9
    /// Channel, sequence, log time and publish time of a message.
    static let messageHead = 22
    /// The footer with its head, and the magic after it.
    static let ending = 9 + 20 + 8
    /// The longest record that is read, and the largest chunk once it is decompressed: more is an
    /// attempt to take all memory, or damage.
    package static let largestRecord = 256 << 20
}

/// A message, as it stands in the file.
package struct MCAPMessage {
    package var channel: UInt16
    package var sequence: UInt32
    /// When it reached the recorder, in nanoseconds.
    package var logTime: UInt64
    /// When it was sent, in nanoseconds.
    package var publishTime: UInt64
    /// Valid until the reader is asked for the next one.
    package var payload: UnsafeRawBufferPointer

    /// The message in the body of a record; nil where it is too short for one.
    @inline(__always)
    init?(_ body: UnsafeRawPointer, _ length: Int) {
        guard length >= MCAP.messageHead else { return nil }
        channel = UInt16(littleEndian: body.loadUnaligned(as: UInt16.self))
        sequence = UInt32(littleEndian: (body + 2).loadUnaligned(as: UInt32.self))
        logTime = UInt64(littleEndian: (body + 6).loadUnaligned(as: UInt64.self))
        publishTime = UInt64(littleEndian: (body + 14).loadUnaligned(as: UInt64.self))
        payload = UnsafeRawBufferPointer(
            start: body + MCAP.messageHead, count: length - MCAP.messageHead)
    }
}

/// A schema with its number.
struct SchemaRecord {
    var id: UInt16
    var schema: MessageSchema

    init?(_ body: UnsafeRawBufferPointer) {
        var cursor = ByteCursor(body)
        guard let id = cursor.integer(UInt16.self), let name = cursor.text(),
            let encoding = cursor.text(), let text = cursor.block()
        else { return nil }
        self.id = id
        schema = MessageSchema(name: name, encoding: encoding, text: Array(text))
    }
}

/// A channel with its number, and that of its schema: 0 for none.
struct ChannelRecord {
    var id: UInt16
    var schema: UInt16
    var channel: MessageChannel

    init?(_ body: UnsafeRawBufferPointer) {
        var cursor = ByteCursor(body)
        guard let id = cursor.integer(UInt16.self), let schema = cursor.integer(UInt16.self),
            let topic = cursor.text(), let encoding = cursor.text(), let metadata = cursor.table()
        else { return nil }
        self.id = id
        self.schema = schema
        channel = MessageChannel(
            topic: topic, encoding: encoding, schema: nil, metadata: metadata)
    }
}

/// A table of texts that the file says of itself.
package struct MCAPMetadata: Sendable, Hashable {
    package var name: String
    package var values: [String: String]

    package init(name: String, values: [String: String]) {
        self.name = name
        self.values = values
    }

    init?(_ body: UnsafeRawBufferPointer) {
        var cursor = ByteCursor(body)
        guard let name = cursor.text(), let values = cursor.table() else { return nil }
        self.init(name: name, values: values)
    }
}

/// What stands before the records of a chunk.
struct ChunkHead {
    var start: UInt64
    var end: UInt64
    var uncompressedSize: UInt64
    var crc: UInt32
    var compression: String
    /// The length of the records, compressed.
    var size: UInt64
    /// Where in the body they begin.
    var place: Int

    /// - Parameter body: the start of the chunk's body; its records may be left out.
    init?(_ body: UnsafeRawBufferPointer) {
        var cursor = ByteCursor(body)
        guard let start = cursor.integer(UInt64.self), let end = cursor.integer(UInt64.self),
            let uncompressedSize = cursor.integer(UInt64.self),
            let crc = cursor.integer(UInt32.self), let compression = cursor.text(),
            let size = cursor.integer(UInt64.self)
        else { return nil }
        self.start = start
        self.end = end
        self.uncompressedSize = uncompressedSize
        self.crc = crc
        self.compression = compression
        self.size = size
        place = body.count - cursor.rest.count
    }
}

/// Where a chunk is, and what is in it.
struct ChunkEntry {
    var start: UInt64
    var end: UInt64
    var offset: UInt64
    var length: UInt64
    /// Where each channel's index is.
    var indexes: [(channel: UInt16, offset: UInt64)]
    var indexLength: UInt64
    var compression: String
    var size: UInt64
    var uncompressedSize: UInt64

    func write(to buffer: ByteBuffer) {
        buffer.record(.chunkIndex) {
            for value in [start, end, offset, length] { buffer.append(value) }
            buffer.append(UInt32(indexes.count * 10))
            for entry in indexes {
                buffer.append(entry.channel)
                buffer.append(entry.offset)
            }
            buffer.append(indexLength)
            buffer.append(compression)
            buffer.append(size)
            buffer.append(uncompressedSize)
        }
    }
}

/// What the summary says of a chunk, as far as it is needed for reading.
struct ChunkPlace {
    /// The time of its last message.
    var end: UInt64
    var offset: UInt64
    /// Behind the chunk and its indexes.
    var next: UInt64

    /// - Parameter body: that of a chunk index.
    init?(_ body: UnsafeRawBufferPointer) {
        var cursor = ByteCursor(body)
        guard cursor.integer(UInt64.self) != nil, let end = cursor.integer(UInt64.self),
            let offset = cursor.integer(UInt64.self), let length = cursor.integer(UInt64.self),
            cursor.block() != nil, let indexes = cursor.integer(UInt64.self)
        else { return nil }
        self.end = end
        self.offset = offset
        next = offset &+ length &+ indexes
    }
}

/// What a file counts of itself.
package struct MCAPStatistics: Sendable, Hashable {
    package var messages: UInt64 = 0
    package var schemas: UInt16 = 0
    package var channels: UInt32 = 0
    package var attachments: UInt32 = 0
    package var metadata: UInt32 = 0
    package var chunks: UInt32 = 0
    package var start: UInt64 = 0
    package var end: UInt64 = 0
    package var messagesOfChannel: [UInt16: UInt64] = [:]

    init() {}

    init?(_ body: UnsafeRawBufferPointer) {
        var cursor = ByteCursor(body)
        guard let messages = cursor.integer(UInt64.self),
            let schemas = cursor.integer(UInt16.self), let channels = cursor.integer(UInt32.self),
            let attachments = cursor.integer(UInt32.self),
            let metadata = cursor.integer(UInt32.self), let chunks = cursor.integer(UInt32.self),
            let start = cursor.integer(UInt64.self), let end = cursor.integer(UInt64.self),
            let block = cursor.block()
        else { return nil }
        self.messages = messages
        self.schemas = schemas
        self.channels = channels
        self.attachments = attachments
        self.metadata = metadata
        self.chunks = chunks
        self.start = start
        self.end = end
        var rows = ByteCursor(block)
        while let channel = rows.integer(UInt16.self), let count = rows.integer(UInt64.self) {
            messagesOfChannel[channel] = count
        }
    }

    func write(to buffer: ByteBuffer) {
        buffer.record(.statistics) {
            buffer.append(messages)
            buffer.append(schemas)
            for value in [channels, attachments, metadata, chunks] { buffer.append(value) }
            buffer.append(start)
            buffer.append(end)
            buffer.append(UInt32(messagesOfChannel.count * 10))
            for (channel, count) in messagesOfChannel.sorted(by: { $0.key < $1.key }) {
                buffer.append(channel)
                buffer.append(count)
            }
        }
    }
}
