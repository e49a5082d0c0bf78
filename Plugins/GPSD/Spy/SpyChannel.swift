package import GPSDPlugin
import Sensorium
import SensoriumTestKit

/// One connection to a scripted gpsd.
package final class SpyChannel: GPSDChannel {
    private struct State {
        var isClosed = false
        var waiter: (id: Int, continuation: UnsafeContinuation<Void, Never>)?
        var nextID = 0
        var pausedUntil: SensorInstant?
    }

    private let daemon: GPSDDaemonSpy
    private let state = Guarded(State())

    init(_ daemon: GPSDDaemonSpy) { self.daemon = daemon }

    /// Remembers what the plugin says.
    package func send(_ bytes: [UInt8]) { daemon.heard(bytes, on: self) }

    /// What the script says next.
    package func receive() async throws(GPSDLinkError) -> [UInt8]? {
        while !Task.isCancelled {
            switch daemon.nextAct(on: self) {
            case .bytes(let bytes): return bytes
            case .end:
                close(because: "the script hung up")
                throw GPSDLinkError(
                    reason: "gpsd at spy closed the connection", hint: "was it restarted?")
            case .wait(let until): await wait(until: until)
            }
        }
        return nil
    }

    /// Ends the connection.
    package func close() async { close(because: "the plugin hung up") }

    private func close(because reason: String) {
        state.withLock { $0.isClosed = true }
        daemon.ended(self)
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
            let rest = daemon.clock.now.duration(to: instant)
            await daemon.clock.pause(for: rest)
            return
        }
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let isNow = state.withLock { state in
                    if Task.isCancelled || daemon.hasMore(on: self, isClosed: state.isClosed) {
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

extension GPSDDaemonSpy {
    enum Act {
        case bytes([UInt8])
        case end
        case wait(SensorInstant?)
    }

    /// Whether there is something to do on that connection.
    func hasMore(on channel: SpyChannel, isClosed: Bool) -> Bool {
        state.withLock { state in
            if isClosed || state.channel !== channel { return true }
            return !state.steps.isEmpty && state.steps.first != .stall
        }
    }

    /// Does the next step of the script.
    func nextAct(on channel: SpyChannel) -> Act {
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
                    guard let line = afflict(text, &state) else { continue }
                    return .bytes(Array((line + "\r\n").utf8))
                case .bytes(let bytes):
                    state.steps.removeFirst()
                    return .bytes(bytes)
                case .pause(let time):
                    state.steps.removeFirst()
                    let until = clock.now.advanced(by: time)
                    return .wait(until)
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

    /// What faults leave of a line: nothing when it is dropped.
    private func afflict(_ line: String, _ state: inout State) -> String? {
        guard line.contains(#""class":"TPV""#) else { return line }
        if state.toDrop > 0 {
            state.toDrop -= 1
            return nil
        }
        if state.toSpoil > 0, let place = line.range(of: #""lat":"#) {
            state.toSpoil -= 1
            let rest = line[place.upperBound...].drop { $0 != "," && $0 != "}" }
            return line[..<place.upperBound] + "NaN" + rest
        }
        return line
    }
}

extension String {
    /// Where `text` stands first.
    fileprivate func range(of text: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) {
                return start..<index(start, offsetBy: text.count)
            }
            start = index(after: start)
        }
        return nil
    }
}
