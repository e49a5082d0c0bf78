import Glibc
import Sensorium
import SensoriumTestKit

/// One connection to a `FakeIIOD`: reads commands and answers them, on a thread of its own.
final class FakeIIODSession {
    private let id: Int
    private let socket: Int32
    private let state: Monitor<FakeIIOD.State>
    private let journal: SpyJournal
    private var received: [UInt8] = []
    private var captures: [String: Capture] = [:]
    private var patience: Int64 = 2_500_000_000

    /// A capture that this connection has opened.
    private struct Capture {
        var scans: Int
        var channels: [String]
        var words: Int
        var begin: Int64
        var taken = 0
    }

    init(id: Int, socket: Int32, state: Monitor<FakeIIOD.State>, journal: SpyJournal) {
        self.id = id
        self.socket = socket
        self.state = state
        self.journal = journal
    }

    func run() {
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init)
            guard let verb = words.first?.uppercased() else { continue }
            if verb == "EXIT" || verb == "QUIT" {
                note(line)
                return
            }
            guard answer(verb, Array(words.dropFirst()), line) else { return }
        }
    }

    private func note(_ command: String) {
        state.change { $0.commands.append(command) }
        journal.record(.said(command), by: "fake iiod", at: SystemClock().now)
    }

    /// - Returns: false when the connection is to end.
    private func answer(_ verb: String, _ words: [String], _ line: String) -> Bool {
        if verb == "WRITE" { return write(words, line) }
        note(line)
        switch verb {
        case "VERSION" where words.isEmpty: return say("0.24.v0.24  \n")
        case "PRINT" where words.isEmpty:
            let xml = state.change { FakeIIODDescription.xml(of: $0) }
            return say("\(xml.utf8.count)\n\(xml)\n")
        case "TIMEOUT":
            guard let time = words.first.flatMap({ Int64($0) }), time >= 0 else {
                return say(-EINVAL)
            }
            patience = time == 0 ? .max / 4 : time * 1_000_000
            return say(0)
        case "READ", "OPEN", "CLOSE", "READBUF", "GETTRIG", "SETTRIG", "SET":
            guard let device = words.first.flatMap({ find($0) }) else {
                // A trigger is a device too, but can do little.
                return say(verb == "GETTRIG" ? -ENOENT : -ENODEV)
            }
            return answer(verb, device, Array(words.dropFirst()))
        default: return say(-EINVAL)
        }
    }

    private func answer(_ verb: String, _ device: ScriptedDevice, _ words: [String]) -> Bool {
        switch verb {
        case "READ": return read(device, words)
        case "OPEN": return open(device, words)
        case "CLOSE": return closeCapture(device)
        case "READBUF": return readBuffer(device, words)
        case "GETTRIG":
            return say(device.trigger.map { "\($0.utf8.count)\n\($0)\n" } ?? "0\n")
        case "SETTRIG": return setTrigger(device, words)
        default:
            let isRight =
                words.count == 2 && words[0].uppercased() == "BUFFERS_COUNT"
                && (Int(words[1]) ?? 0) > 0
            return say(isRight ? 0 : -EINVAL)
        }
    }

    private func find(_ name: String) -> ScriptedDevice? {
        state.change { state in
            let devices = state.order.compactMap { state.devices[$0] }
            return devices.first { $0.id == name || $0.name == name || $0.label == name }
        }
    }

    private func strikes(_ device: String, _ matches: (FakeIIOD.Fault) -> Bool) -> FakeIIOD.Fault? {
        state.change { state in
            for place in state.ailments.indices
            where state.ailments[place].device == device && matches(state.ailments[place].fault) {
                if state.ailments[place].after > 0 {
                    state.ailments[place].after -= 1
                    continue
                }
                let fault = state.ailments[place].fault
                if let left = state.ailments[place].left {
                    state.ailments[place].left = left - 1
                    if left <= 1 { state.ailments.remove(at: place) }
                }
                return fault
            }
            return nil
        }
    }

    // MARK: Attributes

    /// The attribute's channel and name, or an error number.
    private func place(_ device: ScriptedDevice, _ words: [String]) -> (String?, String?, Int32) {
        switch words.first?.uppercased() {
        case "INPUT", "OUTPUT":
            let isInput = words[0].uppercased() == "INPUT"
            guard words.count > 1, isInput, device.channels.contains(where: { $0.id == words[1] })
            else { return (nil, nil, -ENXIO) }
            return (words[1], words.count > 2 ? words[2] : nil, 0)
        case "BUFFER", "DEBUG": return (nil, nil, -ENOENT)
        default: return (nil, words.first, 0)
        }
    }

    private func read(_ device: ScriptedDevice, _ words: [String]) -> Bool {
        if case .refuseRead(let number) = strikes(
            device.id, { if case .refuseRead = $0 { true } else { false } })
        {
            return say(-Int32(number))
        }
        let (channel, name, error) = place(device, words)
        if error < 0 { return say(error) }
        if let name {
            guard let text = device.text(name, channel) else { return say(-ENOENT) }
            return say(Self.reply(Array(text.utf8) + [0]))
        }
        // All attributes: the length of each in four bytes, big-endian, and its text, padded to four.
        let all = channel.flatMap { id in device.channels.first { $0.id == id }?.attributes }
        var bytes: [UInt8] = []
        for (_, text) in (all ?? device.attributes).sorted(by: { $0.key < $1.key }) {
            let value = Array(text.utf8) + [0]
            withUnsafeBytes(of: Int32(value.count).bigEndian) { bytes += $0 }
            bytes += value + [UInt8](repeating: 0, count: (4 - value.count % 4) % 4)
        }
        return say(Self.reply(bytes))
    }

    private static func reply(_ bytes: [UInt8]) -> [UInt8] {
        Array("\(bytes.count)\n".utf8) + bytes + [UInt8(ascii: "\n")]
    }

    private func write(_ words: [String], _ line: String) -> Bool {
        guard let count = words.last.flatMap({ Int($0) }), count >= 0, let data = readBytes(count)
        else {
            return false
        }
        let text = String(
            decoding: data.prefix { $0 != 0 && $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        note("\(line) = \(text)")
        guard let device = words.first.flatMap({ find($0) }) else { return say(-ENODEV) }
        let (channel, name, error) = place(device, Array(words.dropFirst().dropLast()))
        if error < 0 { return say(error) }
        guard let name, device.text(name, channel) != nil else { return say(-ENOENT) }
        state.change { $0.devices[device.id]?.set(name, channel, text) }
        return say(Int32(count))
    }

    private func setTrigger(_ device: ScriptedDevice, _ words: [String]) -> Bool {
        let isKnown = state.change { state -> Bool in
            let name = words.first.map { FakeIIODDescription.triggerName($0, in: state.triggers) }
            if case .some(.none) = name { return false }
            state.devices[device.id]?.trigger = name ?? nil
            return true
        }
        return say(isKnown ? 0 : -ENOENT)
    }

    // MARK: Captures

    private func open(_ device: ScriptedDevice, _ words: [String]) -> Bool {
        if case .refuseOpen(let number) = strikes(
            device.id, { if case .refuseOpen = $0 { true } else { false } })
        {
            return say(-Int32(number))
        }
        let channels = device.orderedChannels
        let wordCount = (channels.count + 31) / 32
        guard words.count >= 2, let scans = Int(words[0]), scans > 0,
            words[1].utf8.count == 8 * wordCount,
            let mask = UInt64(words[1], radix: 16)
        else { return say(-EINVAL) }
        if case .none = device.feed { return say(-EINVAL) }
        // A client that has just hung up may still be in its thread's hands.
        let isFree =
            state.wait(until: MonotonicTime.now + 200_000_000) { [id] state, _ in
                if let owner = state.owners[device.id], owner != id { return nil }
                state.owners[device.id] = id
                return true
            } ?? false
        if !isFree { return say(-EBUSY) }
        captures[device.id] = Capture(
            scans: scans,
            channels: channels.indices.filter { mask >> UInt64($0) & 1 == 1 }.map {
                channels[$0].id
            },
            words: wordCount, begin: MonotonicTime.now)
        return say(0)
    }

    private func closeCapture(_ device: ScriptedDevice) -> Bool {
        guard captures.removeValue(forKey: device.id) != nil else { return say(-ENXIO) }
        state.change { $0.owners[device.id] = nil }
        return say(0)
    }

    private func readBuffer(_ device: ScriptedDevice, _ words: [String]) -> Bool {
        guard var capture = captures[device.id] else { return say(-EBADF) }
        guard let wanted = words.first.flatMap({ Int($0) }), wanted >= 0 else {
            return say(-EINVAL)
        }
        var extra: [String] = []
        var missing = 0
        let fault = strikes(device.id) { fault in
            switch fault {
            case .failCapture, .stall, .drop, .shorten, .capture: true
            case .refuseOpen, .refuseRead: false
            }
        }
        switch fault {
        case .failCapture(let number): return say(-Int32(number))
        case .drop: return false
        case .stall:
            let none: Bool? = wait(until: .max) { _ in nil }
            return none ?? false
        case .shorten(let count): missing = count
        case .capture(let channels): extra = channels
        case .refuseOpen, .refuseRead, nil: break
        }
        let channels = device.orderedChannels.filter {
            capture.channels.contains($0.id) || extra.contains($0.id)
        }
        let encoder = ScanEncoder(channels)
        if wanted
            < ScanEncoder(device.orderedChannels.filter { capture.channels.contains($0.id) })
            .sizeByLibiio
        {
            return say(0)
        }
        guard let scans = takeScans(device, &capture) else { return say(-ETIMEDOUT) }
        var data = scans.flatMap { encoder.encode($0) }
        data = Array(data.prefix(wanted).dropLast(missing))
        var reply = Array("\(data.count)\n".utf8)
        reply += Self.mask(device, channels, words: capture.words)
        reply += data
        // A zero says that no more comes.
        if data.count < wanted { reply += Array("0\n".utf8) }
        captures[device.id] = capture
        return say(reply)
    }

    private static func mask(
        _ device: ScriptedDevice, _ channels: [ScriptedChannel], words: Int
    ) -> [UInt8] {
        let names = Set(channels.map(\.id))
        var mask: UInt64 = 0
        for (position, channel) in device.orderedChannels.enumerated()
        where names.contains(channel.id) {
            mask |= 1 << UInt64(position)
        }
        let digits = String(mask, radix: 16)
        let padding = String(repeating: "0", count: max(0, 8 * words - digits.utf8.count))
        return Array((padding + digits + "\n").utf8)
    }

    /// The scans of one block, when there are enough; nil when the patience ends first.
    private func takeScans(_ device: ScriptedDevice, _ capture: inout Capture) -> [RawScan]? {
        let count = capture.scans
        let deadline = MonotonicTime.now &+ patience
        switch device.feed {
        case .none: return nil
        case .pushed:
            return wait(until: deadline) { state -> [RawScan]? in
                guard let queue = state.queues[device.id], queue.count >= count else { return nil }
                state.queues[device.id] = Array(queue.dropFirst(count))
                return Array(queue.prefix(count))
            }?.map { Self.stamped($0, device, at: MonotonicTime.now) }
        case .signal(let signal):
            guard let rate = device.frequency, rate > 0 else {
                return wait(until: deadline) { _ in nil }
            }
            let period = 1e9 / rate
            let first = capture.taken
            let begin = capture.begin
            let due = begin + Int64(period * Double(first + count))
            let isInTime = due <= deadline
            let none: [RawScan]? = wait(until: min(due, deadline)) { _ in nil }
            if none != nil || !isInTime || hasHungUp { return nil }
            capture.taken += count
            return (first..<(first + count)).map { number in
                Self.stamped(signal(number), device, at: begin + Int64(period * Double(number + 1)))
            }
        }
    }

    private static func stamped(_ scan: RawScan, _ device: ScriptedDevice, at time: Int64)
        -> RawScan
    {
        guard scan["timestamp"] == nil else { return scan }
        let clock =
            switch device.attributes["current_timestamp_clock"] {
            case "boottime": CLOCK_BOOTTIME
            case "monotonic": CLOCK_MONOTONIC
            default: CLOCK_REALTIME
            }
        var scan = scan
        scan["timestamp"] = MonotonicTime.read(clock) - (MonotonicTime.now - time)
        return scan
    }

    /// Waits for a value, the deadline, or the end of the daemon or of the client.
    private func wait<Value>(
        until deadline: Int64, _ look: (inout FakeIIOD.State) -> Value?
    ) -> Value? {
        state.wait(until: deadline) { [self] state, next -> Value?? in
            // Scans are for those who still listen.
            if state.isStopped || hasHungUp { return .some(nil) }
            if let value = look(&state) { return value }
            // A socket's end does not wake the thread.
            next = MonotonicTime.now + 10_000_000
            return nil
        } ?? nil
    }

    /// Whether the client has closed its end, whatever it said before.
    private var hasHungUp: Bool {
        // POLLRDHUP, which Swift does not see.
        var descriptor = pollfd(fd: socket, events: 0x2000, revents: 0)
        return poll(&descriptor, 1, 0) > 0 && descriptor.revents != 0
    }

    // MARK: The socket

    private func say(_ number: Int32) -> Bool { say("\(number)\n") }

    private func say(_ text: String) -> Bool { say(Array(text.utf8)) }

    private func say(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                send(
                    socket, buffer.baseAddress.map { $0 + sent }, buffer.count - sent,
                    Int32(MSG_NOSIGNAL))
            }
            if count <= 0 {
                if count < 0, errno == EINTR { continue }
                return false
            }
            sent += count
        }
        return true
    }

    private func readLine() -> String? {
        while true {
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                let line = received[..<end].filter { $0 != UInt8(ascii: "\r") }
                received.removeSubrange(...end)
                return String(decoding: line, as: UTF8.self)
            }
            if !receive() { return nil }
        }
    }

    private func readBytes(_ count: Int) -> [UInt8]? {
        while received.count < count { if !receive() { return nil } }
        defer { received.removeFirst(count) }
        return Array(received.prefix(count))
    }

    private func receive() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(socket, &bytes, bytes.count, 0)
        if count < 0, errno == EINTR { return true }
        guard count > 0 else { return false }
        received += bytes[..<count]
        return true
    }
}
