/// Goes over the records of an MCAP file, and into its chunks.
final class MCAPWalker {
    private(set) var contents: MCAPContents
    private(set) var damage = RecordingDamage()
    /// Whether only schemas, channels and tables are wanted.
    private let isScanning: Bool
    private let window: MCAPWindow
    private let codec = BlockCodec()
    private let inflated = ByteBuffer()
    /// The next record of the file.
    private var offset: UInt64 = 8
    /// Behind here, records may have been swallowed by one with a wrong length.
    private var doubtful: UInt64 = 8
    private var isAtEnd = false
    private var hasRecords = false
    /// The records that are given next: those of a chunk, or one message.
    private var block: UnsafeRawPointer?
    private var blockLeft = 0
    private var skipBefore: Int64?
    private var isKnown = [Bool](repeating: false, count: 1 << 16)
    private var goodChunks = 0
    private var strangeCompression: String?
    private var attempts = MCAPWalker.attempts
    /// Of everything before `offset`; nil where a part of that was not read, or is damaged.
    private var checksum: CRC32?
    /// How many places are looked at closely in a damaged file, in all.
    private static let attempts = 200_000

    init(_ window: MCAPWindow, contents: MCAPContents, isScanning: Bool = false) {
        self.window = window
        self.contents = contents
        self.isScanning = isScanning
        for id in contents.channels.keys { isKnown[Int(id)] = true }
    }

    /// Goes back to the first record; messages are left out until one is of `time` or later.
    func restart(_ damage: RecordingDamage, skippingBefore time: Int64?) {
        self.damage = damage
        skipBefore = time
        offset = 8
        doubtful = 8
        isAtEnd = false
        hasRecords = false
        blockLeft = 0
        block = nil
        goodChunks = 0
        strangeCompression = nil
        attempts = Self.attempts
        checksum = nil
        if !isScanning && time == nil {
            checksum = CRC32()
            MCAP.magic.withUnsafeBytes { checksum?.add($0) }
        }
    }

    // MARK: Messages

    /// The next message; nil at the end.
    func next() throws(RecordingError) -> MCAPMessage? {
        while true {
            while let place = block, blockLeft >= MCAP.recordHead {
                let opcode = place.load(as: UInt8.self)
                let told = UInt64(littleEndian: (place + 1).loadUnaligned(as: UInt64.self))
                guard told <= UInt64(blockLeft - MCAP.recordHead) else { break }
                let length = Int(told)
                let body = place + MCAP.recordHead
                block = body + length
                blockLeft -= MCAP.recordHead + length
                guard opcode == MCAPOpcode.message.rawValue else {
                    take(opcode, UnsafeRawBufferPointer(start: body, count: length))
                    continue
                }
                guard let message = MCAPMessage(body, length), isKnown[Int(message.channel)] else {
                    damage.skippedRecords += 1
                    continue
                }
                if let time = skipBefore {
                    if Int64(bitPattern: message.logTime) < time { continue }
                    skipBefore = nil
                }
                return message
            }
            if blockLeft > 0 {
                skipBlock("the records of a block before byte \(offset) do not fit into it")
                blockLeft = 0
            }
            block = nil
            guard try nextBlock() else { return nil }
        }
    }

    /// Takes a record that is no message.
    private func take(_ opcode: UInt8, _ body: UnsafeRawBufferPointer) {
        guard let known = MCAPOpcode(rawValue: opcode) else { return }
        if known == .metadata && !isScanning { return }
        guard contents.take(known, body) else {
            damage.skippedRecords += 1
            return damage.note("a record before byte \(offset) makes no sense (\(known))")
        }
        if known == .channel, body.count >= 2 {
            isKnown[Int(UInt16(littleEndian: body.loadUnaligned(as: UInt16.self)))] = true
        }
    }

    private func skipBlock(_ why: String) {
        damage.skippedBlocks += 1
        damage.note(why)
        checksum = nil
    }

    // MARK: Records of the file

    /// Goes to the next chunk or message; false at the end.
    private func nextBlock() throws(RecordingError) -> Bool {
        while !isAtEnd {
            passOverChunks()
            let here = offset
            guard let head = try window.head(at: here, ahead: ahead) else {
                try end(cutAt: here < window.size ? here : nil)
                break
            }
            let left = window.size - here - UInt64(MCAP.recordHead)
            let next = here &+ UInt64(MCAP.recordHead) &+ head.length
            guard head.length <= left, head.opcode != 0, !holdsChunk(here, next) else {
                try leap(over: here)
                continue
            }
            hasRecords = true
            offset = next
            doubtful = here
            // The summary knows better than one byte.
            let opcode =
                nextChunk(after: here - 1)?.offset == here
                ? .chunk : MCAPOpcode(rawValue: head.opcode)
            if checksum != nil, opcode != .chunk, opcode != .dataEnd { try sum(here, next) }
            switch opcode {
            case .message?:
                if let body = try body(here, head.length, "message") {
                    // A block of this record alone.
                    block = body.baseAddress.map { $0 - MCAP.recordHead }
                    blockLeft = MCAP.recordHead + body.count
                    return true
                }
            case .chunk?: if try enter(here, head.length) { return true }
            case .schema?, .channel?, .metadata?:
                if let body = try body(here, head.length, "description") { take(head.opcode, body) }
            case .dataEnd? where contents.isEndWhole && nextChunk(after: here) == nil:
                try compare(here, head.length)
                try end(cutAt: nil)
            case .footer? where window.size - next <= UInt64(MCAP.magic.count):
                try end(cutAt: nil)
            default: break
            }
        }
        return false
    }

    /// Goes behind the chunks here of which the summary says that they end too early to be wanted.
    private func passOverChunks() {
        while let skipBefore, !isScanning, let chunk = nextChunk(after: offset - 1),
            chunk.offset == offset, Self.ends(chunk.end, before: skipBefore),
            chunk.next > offset, chunk.next <= nextChunk(after: offset)?.offset ?? window.size
        {
            hasRecords = true
            doubtful = chunk.next - 1
            offset = chunk.next
        }
    }

    /// Whether all times of a chunk lie before `time`.
    ///
    /// The end of one that has times before the clock's zero, which are the largest here, says nothing.
    private static func ends(_ end: UInt64, before time: Int64) -> Bool {
        end <= UInt64(Int64.max) && Int64(end) < time
    }

    /// How much is read beyond what is needed: little while chunks are passed over.
    private var ahead: Int { skipBefore == nil && !isScanning ? 1 << 18 : 4096 }

    private func body(
        _ offset: UInt64, _ length: UInt64, _ what: String
    ) throws(RecordingError) -> UnsafeRawBufferPointer? {
        if let body = try window.body(at: offset, length: length, ahead: ahead) { return body }
        damage.skippedRecords += 1
        damage.note("a \(what) at byte \(offset) is longer than \(MCAP.largestRecord) bytes")
        return nil
    }

    private func end(cutAt offset: UInt64?) throws(RecordingError) {
        isAtEnd = true
        if let strangeCompression, goodChunks == 0, !isScanning {
            throw MCAPCompression.error(strangeCompression, path: window.path)
        }
        damage.truncatedAt = offset ?? (hasRecords ? nil : window.size)
        damage.lacksEnd = damage.truncatedAt == nil && !contents.isEndWhole
    }

    // MARK: Chunks

    /// Goes into the chunk at `offset`; false where it is passed over.
    private func enter(_ offset: UInt64, _ length: UInt64) throws(RecordingError) -> Bool {
        let start = Int(min(length, 64))
        guard
            let bytes = try window.bytes(
                at: offset, count: MCAP.recordHead + start, ahead: ahead),
            let head = ChunkHead(
                UnsafeRawBufferPointer(start: bytes + MCAP.recordHead, count: start)),
            head.size <= length - UInt64(head.place)
        else {
            skipBlock("the block at byte \(offset) makes no sense")
            return false
        }
        if let skipBefore, Self.ends(head.end, before: skipBefore) { return false }
        if isScanning, try !mayBringChannels(after: self.offset) { return false }
        guard let compression = MCAPCompression(rawValue: head.compression) else {
            strangeCompression = head.compression
            skipBlock("the block at byte \(offset) is compressed with \"\(head.compression)\"")
            return false
        }
        if !compression.isAvailable {
            throw MCAPCompression.error(head.compression, path: window.path)
        }
        guard head.uncompressedSize <= MCAP.largestRecord,
            let body = try window.body(at: offset, length: length, ahead: ahead)
        else {
            skipBlock("the block at byte \(offset) has more than \(MCAP.largestRecord) bytes")
            return false
        }
        var records = UnsafeRawBufferPointer(
            rebasing: body[head.place..<head.place + Int(head.size)])
        if compression != .none {
            let size = Int(head.uncompressedSize)
            guard codec.decompress(records, with: compression, size: size, to: inflated) else {
                skipBlock("the block at byte \(offset) cannot be decompressed")
                return false
            }
            records = inflated.bytes
        }
        let sum = head.crc == 0 ? nil : CRC32.of(records)
        if let sum, sum != head.crc {
            skipBlock("the checksum of the block at byte \(offset) is wrong")
            return false
        }
        add(body, head, compression == .none ? sum : nil)
        goodChunks += 1
        doubtful = offset + UInt64(MCAP.recordHead + head.place - 1) + head.size
        block = records.baseAddress
        blockLeft = records.count
        return !records.isEmpty
    }

    /// Adds a chunk to the checksum of the file.
    ///
    /// - Parameter sum: of its records as they stand in the file, where that is known.
    private func add(_ body: UnsafeRawBufferPointer, _ head: ChunkHead, _ sum: UInt32?) {
        guard checksum != nil, let start = body.baseAddress else { return }
        let before = UnsafeRawBufferPointer(
            start: start - MCAP.recordHead, count: MCAP.recordHead + head.place)
        let records = UnsafeRawBufferPointer(rebasing: body[head.place...])
        checksum?.add(before)
        if let sum, head.size == records.count {
            checksum?.add(sum, count: head.size)
        } else {
            checksum?.add(records)
        }
    }

    /// Adds bytes of the file to its checksum.
    private func sum(_ start: UInt64, _ end: UInt64) throws(RecordingError) {
        var place = start
        while place < end {
            let count = Int(min(1 << 18, end - place))
            guard let bytes = try window.bytes(at: place, count: count, ahead: ahead) else {
                return checksum = nil
            }
            checksum?.add(UnsafeRawBufferPointer(start: bytes, count: count))
            place += UInt64(count)
        }
    }

    /// Compares the checksum of the data with that in its last record.
    private func compare(_ offset: UInt64, _ length: UInt64) throws(RecordingError) {
        guard let checksum, length >= 4,
            let body = try window.body(at: offset, length: length, ahead: ahead)
        else { return }
        let told = UInt32(littleEndian: body.loadUnaligned(as: UInt32.self))
        // 0 says that the writer took none.
        if told == 0 || told == checksum.value { return }
        damage.hasWrongChecksum = true
        damage.note("the checksum of the file is wrong, though all of its records can be read")
    }

    /// Whether the chunk before `offset` may hold a channel that is not known: the indexes behind it
    /// name the channels that it has messages of.
    private func mayBringChannels(after offset: UInt64) throws(RecordingError) -> Bool {
        var place = offset
        var hasIndex = false
        while let head = try window.head(at: place, ahead: 4096),
            head.opcode == MCAPOpcode.messageIndex.rawValue, head.length >= 2,
            head.length < window.size - place,
            let bytes = try window.bytes(at: place, count: MCAP.recordHead + 2, ahead: 4096)
        {
            hasIndex = true
            let id = (bytes + MCAP.recordHead).loadUnaligned(as: UInt16.self)
            if !isKnown[Int(UInt16(littleEndian: id))] { return true }
            place += UInt64(MCAP.recordHead) + head.length
        }
        return !hasIndex
    }

    // MARK: Damage

    /// Whether a chunk that the summary knows begins inside of a record: its length is wrong then.
    private func holdsChunk(_ offset: UInt64, _ end: UInt64) -> Bool {
        guard let next = nextChunk(after: offset) else { return false }
        return next.offset < end
    }

    /// The first chunk of the summary behind `offset`.
    private func nextChunk(after offset: UInt64) -> ChunkPlace? {
        let chunks = contents.chunks
        var (low, high) = (0, chunks.count)
        while low < high {
            let middle = (low + high) / 2
            if chunks[middle].offset > offset { high = middle } else { low = middle + 1 }
        }
        return low < chunks.count ? chunks[low] : nil
    }

    /// Looks for the next record behind one whose length is wrong, or that is cut off.
    private func leap(over offset: UInt64) throws(RecordingError) {
        var search = MCAPSearch(window, attempts: attempts) { [isKnown] in isKnown[Int($0)] }
        let record = try search.record(after: min(doubtful, offset))
        attempts = search.attempts
        if let found = record ?? nextChunk(after: offset)?.offset {
            skipBlock("the record at byte \(offset) is damaged; going on at byte \(found)")
            self.offset = found
        } else if contents.isEndWhole {
            skipBlock("the record at byte \(offset) is damaged; nothing behind it can be read")
            try end(cutAt: nil)
        } else {
            try end(cutAt: offset)
        }
    }
}
