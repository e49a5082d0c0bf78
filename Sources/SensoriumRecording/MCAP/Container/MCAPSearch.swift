/// Looks for records among bytes that make no sense.
struct MCAPSearch {
    private let window: MCAPWindow
    private let isKnown: (UInt16) -> Bool
    /// How many places it may still look at closely: in a file made for that, each byte could be one.
    private(set) var attempts: Int

    init(_ window: MCAPWindow, attempts: Int, isKnown: @escaping (UInt16) -> Bool) {
        self.window = window
        self.attempts = attempts
        self.isKnown = isKnown
    }

    /// The first place behind `offset` where records begin; nil where there is none.
    mutating func record(after offset: UInt64) throws(RecordingError) -> UInt64? {
        let head = MCAP.recordHead
        var place = offset + 1
        while place < window.size, window.size - place >= UInt64(head) {
            let count = Int(min(1 << 18, window.size - place))
            guard let bytes = try window.bytes(at: place, count: count) else { return nil }
            for step in 0...(count - head) {
                guard Self.mayBegin((bytes + step).load(as: UInt8.self)) else { continue }
                let length = UInt64(
                    littleEndian: (bytes + step + 1).loadUnaligned(as: UInt64.self))
                let here = place + UInt64(step)
                guard length <= window.size - here - UInt64(head) else { continue }
                if attempts == 0 { return nil }
                attempts -= 1
                if try isRecord(here) { return here }
            }
            place += UInt64(count - head + 1)
        }
        return nil
    }

    private static func mayBegin(_ opcode: UInt8) -> Bool {
        switch MCAPOpcode(rawValue: opcode) {
        case .schema?, .channel?, .message?, .chunk?, .messageIndex?, .metadata?, .dataEnd?: true
        default: false
        }
    }

    /// Whether a record begins here, and another one behind it.
    private func isRecord(_ offset: UInt64) throws(RecordingError) -> Bool {
        var place = offset
        for _ in 0..<2 {
            if place == window.size { return true }
            switch try look(place) {
            case .no: return false
            case .surely: return true
            case .maybe(let next): place = next
            }
        }
        return true
    }

    private enum Verdict {
        case no, surely
        case maybe(next: UInt64)
    }

    private func look(_ offset: UInt64) throws(RecordingError) -> Verdict {
        var start = [UInt8](repeating: 0, count: 80)
        let count = try window.read(into: &start, at: offset)
        return start.withUnsafeBytes { bytes in
            var cursor = ByteCursor(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
            guard let opcode = cursor.integer(UInt8.self), let length = cursor.integer(UInt64.self),
                length <= UInt64(MCAP.largestRecord)
            else { return .no }
            let next = offset + UInt64(MCAP.recordHead) + length
            guard next <= window.size else { return .no }
            let body = cursor
            switch MCAPOpcode(rawValue: opcode) {
            case .message?:
                guard length >= UInt64(MCAP.messageHead), let channel = cursor.integer(UInt16.self)
                else { return .no }
                return isKnown(channel) ? .maybe(next: next) : .no
            case .chunk?:
                guard let head = ChunkHead(body.rest), head.compression.utf8.count <= 16 else {
                    return .no
                }
                return UInt64(head.place) + head.size == length ? .surely : .no
            case .messageIndex?:
                guard let channel = cursor.integer(UInt16.self),
                    let size = cursor.integer(UInt32.self), size % 16 == 0
                else { return .no }
                return isKnown(channel) && UInt64(size) + 6 == length ? .surely : .no
            case .schema?, .channel?, .metadata?:
                let place = opcode == MCAPOpcode.schema.rawValue ? 2 : 4
                if opcode != MCAPOpcode.metadata.rawValue { _ = cursor.bytes(place) }
                guard let size = cursor.integer(UInt32.self), UInt64(size) < length else {
                    return .no
                }
                return .maybe(next: next)
            case .dataEnd?: return length == 4 ? .surely : .no
            default: return .no
            }
        }
    }
}
