import Glibc

/// Writes the records of an MCAP file, of whatever channels.
///
/// Schemas, channels and metadata stand before the chunks, not in them, so that no damaged chunk
/// takes them away.
package final class MCAPFileWriter {
    /// A channel of the file, for `write`.
    package final class Channel {
        package let id: UInt16
        fileprivate let schema: UInt16
        fileprivate let channel: MessageChannel
        fileprivate var sequence: UInt32 = 0
        fileprivate var count: UInt64 = 0
        /// Time and place of each message of the chunk.
        fileprivate let index = ByteBuffer()

        fileprivate init(_ id: UInt16, schema: UInt16, _ channel: MessageChannel) {
            self.id = id
            self.schema = schema
            self.channel = channel
        }

        fileprivate func write(to buffer: ByteBuffer) {
            buffer.record(.channel) {
                buffer.append(id)
                buffer.append(schema)
                buffer.append(channel.topic)
                buffer.append(channel.encoding)
                buffer.append(channel.metadata)
            }
        }
    }

    private let file: OutputFile
    private let options: MCAPOptions
    private let codec = BlockCodec()
    /// What stands before the records of a chunk: its head, its lengths, the name of its compression.
    private let headSize: Int
    /// How many bytes of messages are written at once.
    private let flushSize: Int
    /// The chunk that is being filled, after room for its head; without chunks, records as they are.
    private let chunk = ByteBuffer(capacity: 1 << 16)
    private let output = ByteBuffer()
    private var dataCRC = CRC32()
    private var schemas: [(id: UInt16, schema: MessageSchema)] = []
    private var channels: [Channel] = []
    private var chunkEntries: [ChunkEntry] = []
    private var metadataEntries: [(offset: UInt64, length: UInt64, name: String)] = []
    private var statistics = MCAPStatistics()
    private var chunkStart = UInt64.max
    private var chunkEnd: UInt64 = 0
    private var spanStart = UInt64.max
    private var spanEnd: UInt64 = 0
    /// The checksum of a part of `output`, where that is known already.
    private var knownSum: (place: Range<Int>, sum: UInt32)?
    private var failure: RecordingError?
    private var isFinished = false

    /// How many bytes were handed to the operating system.
    package var byteCount: UInt64 { file.count }

    /// Creates a file, and writes its start.
    package init(
        _ path: String, library: String, profile: String = "", options: MCAPOptions = MCAPOptions()
    ) throws(RecordingError) {
        if !options.compression.isAvailable {
            throw MCAPCompression.error(options.compression.rawValue, path: path)
        }
        self.options = options
        let name = options.compression.rawValue.utf8.count
        headSize = options.chunkSize > 0 ? MCAP.recordHead + 8 * 4 + 4 + 4 + name : 0
        flushSize = options.chunkSize > 0 ? options.chunkSize : 1 << 16
        file = try OutputFile(path)
        output.append(MCAP.magic)
        output.record(.header) {
            output.append(profile)
            output.append(library)
        }
        try writeOutput()
        startChunk()
    }

    // MARK: What stands outside of chunks

    /// Adds a channel, and its schema if no channel before had it.
    package func add(_ channel: MessageChannel) throws(RecordingError) -> Channel {
        try check()
        guard channels.count < Int(UInt16.max) else {
            throw RecordingError(
                .unsupported, path: file.path,
                reason: "an MCAP file has at most \(UInt16.max) channels")
        }
        try closeChunkOfRecords()
        var schemaID: UInt16 = 0
        if let schema = channel.schema {
            if let known = schemas.first(where: { $0.schema == schema }) {
                schemaID = known.id
            } else {
                schemaID = UInt16(schemas.count + 1)
                schemas.append((schemaID, schema))
                write(schema, schemaID)
            }
        }
        let made = Channel(UInt16(channels.count + 1), schema: schemaID, channel)
        channels.append(made)
        made.write(to: output)
        try writeOutput()
        return made
    }

    private func write(_ schema: MessageSchema, _ id: UInt16) {
        output.record(.schema) {
            output.append(id)
            output.append(schema.name)
            output.append(schema.encoding)
            output.append(UInt32(schema.text.count))
            output.append(schema.text)
        }
    }

    /// Adds a table of texts.
    package func add(_ metadata: MCAPMetadata) throws(RecordingError) {
        try check()
        try closeChunkOfRecords()
        let offset = file.count
        output.record(.metadata) {
            output.append(metadata.name)
            output.append(metadata.values)
        }
        let length = UInt64(output.count)
        try writeOutput()
        metadataEntries.append((offset, length, metadata.name))
    }

    // MARK: Messages

    /// Adds a message.
    @inline(__always)
    package func write(
        _ channel: Channel, logTime: UInt64, publishTime: UInt64, payload: UnsafeRawBufferPointer
    ) throws(RecordingError) {
        if failure != nil || isFinished { try check() }
        let place = chunk.count - headSize
        let length = MCAP.messageHead + payload.count
        let record = chunk.grow(by: MCAP.recordHead + length)
        record.storeBytes(of: MCAPOpcode.message.rawValue, as: UInt8.self)
        record.storeBytes(of: UInt64(length).littleEndian, toByteOffset: 1, as: UInt64.self)
        record.storeBytes(of: channel.id.littleEndian, toByteOffset: 9, as: UInt16.self)
        record.storeBytes(of: channel.sequence.littleEndian, toByteOffset: 11, as: UInt32.self)
        record.storeBytes(of: logTime.littleEndian, toByteOffset: 15, as: UInt64.self)
        record.storeBytes(of: publishTime.littleEndian, toByteOffset: 23, as: UInt64.self)
        if let start = payload.baseAddress { memcpy(record + 31, start, payload.count) }
        channel.sequence &+= 1
        channel.count += 1
        chunkStart = min(chunkStart, logTime)
        chunkEnd = max(chunkEnd, logTime)
        if headSize > 0 {
            let entry = channel.index.grow(by: 16)
            entry.storeBytes(of: logTime.littleEndian, as: UInt64.self)
            entry.storeBytes(of: UInt64(place).littleEndian, toByteOffset: 8, as: UInt64.self)
        }
        if chunk.count - headSize >= flushSize { try flush() }
    }

    /// Writes the messages that wait, as a chunk of their own.
    package func flush() throws(RecordingError) {
        try check()
        if chunk.count == headSize { return }
        if headSize == 0 {
            output.append(chunk.bytes)
            widenSpan()
            startChunk()
            return try writeOutput()
        }
        let entry = try closeChunk()
        try writeOutput()
        chunkEntries.append(entry)
        startChunk()
    }

    /// Records stand in the order in which they came, also where there are no chunks.
    private func closeChunkOfRecords() throws(RecordingError) {
        if headSize == 0 { try flush() }
    }

    private func widenSpan() {
        spanStart = min(spanStart, chunkStart)
        spanEnd = max(spanEnd, chunkEnd)
    }

    private func startChunk() {
        chunk.truncate(to: 0)
        _ = chunk.grow(by: headSize)
        chunkStart = .max
        chunkEnd = 0
    }

    /// Puts chunk and indexes into `output`.
    private func closeChunk() throws(RecordingError) -> ChunkEntry {
        let records = UnsafeRawBufferPointer(rebasing: chunk.bytes[headSize...])
        output.truncate(to: 0)
        _ = output.grow(by: headSize)
        guard codec.compress(records, with: options.compression, to: output) else {
            let error = RecordingError(
                .unwritable, path: file.path,
                reason: "a block could not be compressed with \(options.compression.rawValue)",
                hint: "is there memory left?")
            failure = error
            throw error
        }
        let size = output.count - headSize
        let length = output.count
        widenSpan()
        var entry = ChunkEntry(
            start: chunkStart, end: chunkEnd, offset: file.count, length: UInt64(length),
            indexes: [], indexLength: 0, compression: options.compression.rawValue,
            size: UInt64(size), uncompressedSize: UInt64(records.count))
        let head = ByteBuffer(capacity: headSize)
        head.append(MCAPOpcode.chunk.rawValue)
        head.append(UInt64(length - MCAP.recordHead))
        for value in [chunkStart, chunkEnd, entry.uncompressedSize] { head.append(value) }
        let sum = CRC32.of(records)
        if options.compression == .none { knownSum = (headSize..<length, sum) }
        head.append(sum)
        head.append(entry.compression)
        head.append(entry.size)
        memcpy(output.base, head.base, headSize)
        for channel in channels where channel.index.count > 0 {
            entry.indexes.append((channel.id, file.count + UInt64(output.count)))
            output.record(.messageIndex) {
                output.append(channel.id)
                output.append(UInt32(channel.index.count))
                output.append(channel.index.bytes)
            }
            channel.index.truncate(to: 0)
        }
        entry.indexLength = UInt64(output.count - length)
        return entry
    }

    // MARK: The end

    /// Writes the summary, and closes the file.
    package func finish() throws(RecordingError) {
        try flush()
        output.record(.dataEnd) { output.append(dataCRC.value) }
        let summaryStart = file.count + UInt64(output.count)
        var groups: [(opcode: MCAPOpcode, start: UInt64, length: UInt64)] = []
        let start = file.count
        func group(_ opcode: MCAPOpcode, _ body: () -> Void) {
            let place = output.count
            body()
            if output.count == place { return }
            groups.append((opcode, start + UInt64(place), UInt64(output.count - place)))
        }
        let dataEndLength = output.count
        group(.schema) { for entry in schemas { write(entry.schema, entry.id) } }
        group(.channel) { for channel in channels { channel.write(to: output) } }
        group(.statistics) { countedStatistics().write(to: output) }
        group(.chunkIndex) { for entry in chunkEntries { entry.write(to: output) } }
        group(.metadataIndex) { for entry in metadataEntries { writeIndex(entry) } }
        let offsetStart = file.count + UInt64(output.count)
        for group in groups {
            output.record(.summaryOffset) {
                output.append(group.opcode.rawValue)
                output.append(group.start)
                output.append(group.length)
            }
        }
        output.append(MCAPOpcode.footer.rawValue)
        output.append(UInt64(20))
        output.append(summaryStart)
        output.append(offsetStart)
        output.append(CRC32.of(UnsafeRawBufferPointer(rebasing: output.bytes[dataEndLength...])))
        output.append(MCAP.magic)
        try writeOutput()
        isFinished = true
        try file.finish()
    }

    private func writeIndex(_ entry: (offset: UInt64, length: UInt64, name: String)) {
        output.record(.metadataIndex) {
            output.append(entry.offset)
            output.append(entry.length)
            output.append(entry.name)
        }
    }

    private func countedStatistics() -> MCAPStatistics {
        statistics.schemas = UInt16(schemas.count)
        statistics.channels = UInt32(channels.count)
        statistics.metadata = UInt32(metadataEntries.count)
        statistics.chunks = UInt32(chunkEntries.count)
        if spanStart <= spanEnd { (statistics.start, statistics.end) = (spanStart, spanEnd) }
        for channel in channels where channel.count > 0 {
            statistics.messages += channel.count
            statistics.messagesOfChannel[channel.id] = channel.count
        }
        return statistics
    }

    // MARK: The file

    private func check() throws(RecordingError) {
        if let failure { throw failure }
        if isFinished {
            throw RecordingError(.misuse, path: file.path, reason: "it was finished already")
        }
    }

    /// Hands over `output`, and empties it.
    private func writeOutput() throws(RecordingError) {
        do throws(RecordingError) {
            try file.write(output.bytes)
        } catch {
            failure = error
            throw error
        }
        let bytes = output.bytes
        if let (place, sum) = knownSum.take() {
            dataCRC.add(UnsafeRawBufferPointer(rebasing: bytes[..<place.lowerBound]))
            dataCRC.add(sum, count: UInt64(place.count))
            dataCRC.add(UnsafeRawBufferPointer(rebasing: bytes[place.upperBound...]))
        } else {
            dataCRC.add(bytes)
        }
        output.truncate(to: 0)
    }
}
