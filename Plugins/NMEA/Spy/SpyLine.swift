package import NMEAPlugin
import Sensorium
import SensoriumTestKit

/// One time that the line to a scripted receiver is open.
package final class SpyLine: NMEAChannel {
    private struct State {
        var isClosed = false
        var waiter: (id: Int, continuation: UnsafeContinuation<Void, Never>)?
        var nextID = 0
        var pausedUntil: SensorInstant?
    }

    /// The speeds that are guessed from.
    static let rates = [9600, 4800, 38_400, 115_200]

    private let receiver: NMEALineSpy
    private let state = Guarded(State())

    init(_ receiver: NMEALineSpy) { self.receiver = receiver }

    /// What the script says next.
    package func receive() async throws(NMEALinkError) -> [UInt8]? {
        while !Task.isCancelled {
            switch receiver.nextAct(on: self) {
            case .bytes(let bytes): return bytes
            case .end:
                close(because: "the script hung up")
                throw NMEALinkError(
                    reason: "the receiver spy was pulled out", hint: "plug it in again")
            case .wait(let until): await wait(until: until)
            }
        }
        return nil
    }

    /// The speed that the line is set to, where the script wants it guessed.
    package var guessedRate: Int? {
        receiver.speaksAt == nil ? nil : receiver.state.withLock { $0.rate }
    }

    /// Goes on to the next speed.
    package func guessNextRate() {
        let rate = receiver.state.withLock { state in
            let place = Self.rates.firstIndex(of: state.rate) ?? 0
            state.rate = Self.rates[(place + 1) % Self.rates.count]
            return state.rate
        }
        receiver.record(.said("\(rate)"))
        wake()
    }

    /// Ends it.
    package func close() async { close(because: "the plugin hung up") }

    private func close(because reason: String) {
        state.withLock { $0.isClosed = true }
        receiver.ended(self)
        wake()
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Lets `receive` look again.
    func wake() {
        let waiter = state.withLock { state in
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.continuation.resume()
    }

    private func wait(until instant: SensorInstant?) async {
        if let instant {
            await receiver.clock.pause(for: receiver.clock.now.duration(to: instant))
            return
        }
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let isNow = state.withLock { state in
                    if Task.isCancelled || receiver.hasMore(on: self, isClosed: state.isClosed) {
                        return true
                    }
                    state.waiter = (id, continuation)
                    return false
                }
                if isNow { continuation.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { state -> UnsafeContinuation<Void, Never>? in
                guard state.waiter?.id == id else { return nil }
                defer { state.waiter = nil }
                return state.waiter?.continuation
            }
            waiter?.resume()
        }
    }

    func pause(until instant: SensorInstant?) { state.withLock { $0.pausedUntil = instant } }
    var pausedUntil: SensorInstant? { state.withLock { $0.pausedUntil } }
}

extension NMEALineSpy {
    enum Act {
        case bytes([UInt8])
        case end
        case wait(SensorInstant?)
    }

    /// Whether there is something to do on that line.
    func hasMore(on channel: SpyLine, isClosed: Bool) -> Bool {
        state.withLock { state in
            if isClosed || state.channel !== channel { return true }
            return !state.steps.isEmpty && state.steps.first != .stall
        }
    }

    /// Does the next step of the script.
    func nextAct(on channel: SpyLine) -> Act {
        if channel.isClosed { return .end }
        if let until = channel.pausedUntil {
            if clock.now < until { return .wait(until) }
            channel.pause(until: nil)
        }
        let act = state.withLock { state -> Act in
            guard state.channel === channel else { return .end }
            if let until = state.stalledUntil {
                if clock.now < until { return .wait(until) }
                state.stalledUntil = nil
            }
            while let step = state.steps.first {
                switch step {
                case .line(let text):
                    state.steps.removeFirst()
                    guard let text = afflict(text, &state) else { continue }
                    return .bytes(heard(Array((text + "\r\n").utf8), &state))
                case .bytes(let bytes):
                    state.steps.removeFirst()
                    return .bytes(heard(bytes, &state))
                case .pause(let time):
                    state.steps.removeFirst()
                    return .wait(clock.now.advanced(by: time))
                case .hangUp:
                    state.steps.removeFirst()
                    return .end
                case .refuse: return .end
                case .stall: return .wait(nil)
                }
            }
            return .wait(nil)
        }
        if case .wait(let until?) = act { channel.pause(until: until) }
        return act
    }

    /// What arrives of bytes: rubbish at the wrong speed.
    private func heard(_ bytes: [UInt8], _ state: inout State) -> [UInt8] {
        guard let speaksAt, speaksAt != state.rate else { return bytes }
        return bytes.map { $0 << 1 | 0x81 }
    }

    /// What faults leave of some lines: nothing when they are dropped.
    private func afflict(_ lines: String, _ state: inout State) -> String? {
        guard lines.contains("RMC,") || lines.contains("GGA,") else { return lines }
        if state.toDrop > 0 {
            state.toDrop -= 1
            return nil
        }
        guard state.toSpoil > 0 else { return lines }
        state.toSpoil -= 1
        return lines.split(whereSeparator: \.isNewline)
            .map { Self.spoiled($0) }
            .joined(separator: "\r\n")
    }

    /// A sentence with `NaN` in place of its latitude, and a checksum that is right.
    private static func spoiled(_ line: Substring) -> String {
        let body = line.dropFirst().prefix { $0 != "*" }
        var fields = body.split(separator: ",", omittingEmptySubsequences: false).map { "\($0)" }
        guard let address = fields.first else { return "\(line)" }
        let place = address.hasSuffix("RMC") ? 3 : address.hasSuffix("GGA") ? 2 : 0
        if place > 0, place < fields.count { fields[place] = "NaN" }
        return NMEAEncoder.sentence(fields.joined(separator: ","))
    }
}
