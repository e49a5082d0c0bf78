/// What is known of an MCAP file before its messages are read.
struct MCAPContents {
    var library = ""
    var channels: [UInt16: MessageChannel] = [:]
    var metadata: [MCAPMetadata] = []
    /// Nil where the file has no summary that can be trusted.
    var statistics: MCAPStatistics?
    /// Where chunks are, the first one first; empty where the file has no summary that can be trusted.
    var chunks: [ChunkPlace] = []
    /// Whether footer and magic stand at the end.
    var isEndWhole = false
    private var schemas: [UInt16: MessageSchema] = [:]
    private var orphans: [UInt16: ChannelRecord] = [:]

    /// How many schemas, channels and tables a file may have before it is an attempt to take all
    /// memory.
    private static let limit = 1 << 16
    /// How many bytes those may have together.
    private static let byteLimit = 64 << 20
    private var byteCount = 0

    init() {}

    // MARK: Records

    /// Takes a schema, a channel or a table; false where it makes no sense.
    mutating func take(_ opcode: MCAPOpcode, _ body: UnsafeRawBufferPointer) -> Bool {
        switch opcode {
        case .schema:
            guard let record = SchemaRecord(body) else { return false }
            // Number 0 means none.
            guard record.id != 0 else { return false }
            if schemas[record.id] != nil { return true }
            guard reserve(body) else { return false }
            schemas[record.id] = record.schema
            for orphan in orphans.values where orphan.schema == record.id { adopt(orphan) }
        case .channel:
            guard let record = ChannelRecord(body) else { return false }
            if channels[record.id] != nil { return true }
            guard reserve(body) else { return false }
            adopt(record)
            if record.schema != 0, schemas[record.schema] == nil { orphans[record.id] = record }
        case .metadata:
            guard let table = MCAPMetadata(body) else { return false }
            guard metadata.count < Self.limit, reserve(body) else { return false }
            metadata.append(table)
        default: break
        }
        return true
    }

    private mutating func reserve(_ body: UnsafeRawBufferPointer) -> Bool {
        guard body.count <= Self.byteLimit - byteCount else { return false }
        byteCount += body.count
        return true
    }

    private mutating func adopt(_ record: ChannelRecord) {
        var channel = record.channel
        channel.schema = schemas[record.schema]
        channels[record.id] = channel
    }

    /// Whether each channel that names a schema has it.
    private var isComplete: Bool {
        orphans.values.allSatisfy { schemas[$0.schema] != nil }
    }

    // MARK: Opening

    /// Reads the summary, or all records where there is none.
    init(_ window: MCAPWindow, _ damage: inout RecordingDamage) throws(RecordingError) {
        var ending = [UInt8](repeating: 0, count: MCAP.ending)
        if window.size >= UInt64(MCAP.magic.count + MCAP.ending) {
            _ = try window.read(into: &ending, at: window.size - UInt64(MCAP.ending))
        }
        let isWhole =
            ending[0] == MCAPOpcode.footer.rawValue && ending[1] == 20
            && ending[2..<9].allSatisfy { $0 == 0 } && Array(ending.suffix(8)) == MCAP.magic
        isEndWhole = isWhole
        if isWhole, let summary = try Self.summary(window, ending, &damage) {
            self = summary
        } else {
            try scan(window, &damage)
        }
        isEndWhole = isWhole
        if let head = try window.head(at: 8), head.opcode == MCAPOpcode.header.rawValue,
            let body = try window.body(at: 8, length: head.length)
        {
            var cursor = ByteCursor(body)
            _ = cursor.text()
            library = cursor.text() ?? ""
        }
    }

    /// What the summary says; nil where there is none, or it is damaged or lacks something.
    private static func summary(
        _ window: MCAPWindow, _ ending: [UInt8], _ damage: inout RecordingDamage
    ) throws(RecordingError) -> MCAPContents? {
        let footer = window.size - UInt64(MCAP.ending)
        let (start, told) = ending.withUnsafeBytes { bytes in
            (
                UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 9, as: UInt64.self)),
                UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 25, as: UInt32.self))
            )
        }
        guard start > 8, start < footer else { return nil }
        if told != 0 {
            var sum = CRC32()
            var place = start
            while place < footer + 25 {
                let count = Int(min(1 << 18, footer + 25 - place))
                guard let bytes = try window.bytes(at: place, count: count) else { return nil }
                sum.add(UnsafeRawBufferPointer(start: bytes, count: count))
                place += UInt64(count)
            }
            if sum.value != told {
                damage.note("the summary's checksum is wrong; the file is read without it")
                return nil
            }
        }
        var contents = MCAPContents()
        var tables: [UInt64] = []
        var place = start
        while place < footer {
            guard let head = try window.head(at: place), head.length <= footer - place,
                let body = try window.body(at: place, length: head.length)
            else { return nil }
            place += UInt64(MCAP.recordHead) + head.length
            switch MCAPOpcode(rawValue: head.opcode) {
            case .schema?, .channel?:
                guard let opcode = MCAPOpcode(rawValue: head.opcode), contents.take(opcode, body)
                else { return nil }
            case .statistics?: contents.statistics = MCAPStatistics(body)
            case .chunkIndex?:
                guard let chunk = ChunkPlace(body) else { return nil }
                contents.chunks.append(chunk)
            case .metadataIndex?:
                guard body.count >= 8, tables.count < limit else { return nil }
                tables.append(UInt64(littleEndian: body.loadUnaligned(as: UInt64.self)))
            default: break
            }
        }
        guard let statistics = contents.statistics, contents.isComplete,
            contents.channels.count == Int(statistics.channels),
            tables.count == Int(statistics.metadata)
        else { return nil }
        for offset in tables {
            guard let head = try window.head(at: offset, ahead: 4096),
                head.opcode == MCAPOpcode.metadata.rawValue,
                let body = try window.body(at: offset, length: head.length, ahead: 4096),
                contents.take(.metadata, body)
            else { return nil }
        }
        contents.chunks.sort { $0.offset < $1.offset }
        return contents
    }

    /// Goes over all records, and into those chunks that may bring a channel.
    private mutating func scan(
        _ window: MCAPWindow, _ damage: inout RecordingDamage
    ) throws(RecordingError) {
        let walker = MCAPWalker(window, contents: self, isScanning: true)
        while try walker.next() != nil {}
        self = walker.contents
        // Blocks and records are counted when they are read.
        damage.truncatedAt = walker.damage.truncatedAt
        damage.lacksEnd = walker.damage.lacksEnd
    }
}
