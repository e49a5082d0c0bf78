import CSensorium
import Sensorium

/// What a loaded plugin calls back: the host's clock, log, configuration and executor.
///
/// A plugin may keep the pointer that it is given, so the table and this object live as long as the
/// process; after the plugin was stopped, they let go of the host itself.
final class HostTable: Sendable {
    private struct State {
        var host: PluginHost?
        var nextWake: UInt64 = 1
        var wakes: [UInt64: Wake] = [:]
    }

    private struct Wake {
        var task: Task<Void, Never>?
    }

    /// A function of the plugin, with the argument that it wants back.
    private struct Call: @unchecked Sendable {  // no lock: constants, for any thread
        let function: @convention(c) (UnsafeMutableRawPointer?) -> Void
        let argument: UnsafeMutableRawPointer?
    }

    private let state: Guarded<State>

    private init(_ host: PluginHost) { state = Guarded(State(host: host)) }

    /// Makes a table for one start of a plugin.
    static func make(_ host: PluginHost) -> (table: UnsafePointer<sensorium_host>, owner: HostTable)
    {
        let owner = HostTable(host)
        let table = UnsafeMutablePointer<sensorium_host>.allocate(capacity: 1)
        table.initialize(
            to: sensorium_host(
                size: UInt32(MemoryLayout<sensorium_host>.size), boundary: SENSORIUM_BOUNDARY,
                context: Unmanaged.passRetained(owner).toOpaque(),
                now: { HostTable.of($0)?.now ?? 0 },
                sample: { context, domain, sample in
                    guard let sample, let table = HostTable.of(context) else { return 0 }
                    return table.sample(domain, sample) ? 1 : 0
                },
                log: { HostTable.of($0)?.log($1, LentText.copy($2) ?? "") },
                configuration: { context, key, buffer, capacity in
                    guard let table = HostTable.of(context), let key = LentText.copy(key) else {
                        return -1
                    }
                    return table.configuration(key, buffer, capacity)
                },
                wake_at: { context, instant, fire, argument in
                    guard let table = HostTable.of(context), let fire else { return 1 }
                    return table.wake(at: instant, Call(function: fire, argument: argument))
                },
                cancel_wake: { HostTable.of($0)?.cancelWake($1) == true ? 1 : 0 },
                run: host.clock.executor == nil
                    ? nil
                    : { context, work, argument in
                        guard let table = HostTable.of(context), let work else { return }
                        table.run(Call(function: work, argument: argument))
                    }))
        return (UnsafePointer(table), owner)
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> HostTable? {
        context.map { Unmanaged<HostTable>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Lets go of the host: a plugin that was stopped has nothing to say any more.
    func end() {
        let wakes = state.withLock { state in
            state.host = nil
            return Array(state.wakes.values)
        }
        // Each still fires, early: whoever waits for it is owed that.
        for wake in wakes { wake.task?.cancel() }
    }

    private var host: PluginHost? { state.withLock { $0.host } }

    private var now: Int64 { (host?.clock.now ?? SystemClock().now).nanoseconds }

    private func sample(
        _ domain: UInt32, _ result: UnsafeMutablePointer<sensorium_clock_sample>
    ) -> Bool {
        guard let domain = UInt8(exactly: domain).flatMap({ ClockDomain(rawValue: $0) }),
            let sample = host?.clock.sample(domain)
        else { return false }
        result.pointee = sensorium_clock_sample(
            boottime_ns: sample.boottime.nanoseconds, time_ns: sample.time.nanoseconds,
            uncertainty_ns: sample.uncertainty.wholeNanoseconds)
        return true
    }

    private func log(_ level: UInt32, _ message: String) {
        host?.log(UInt8(exactly: level).flatMap { LogLevel(rawValue: $0) } ?? .error, message)
    }

    private func configuration(
        _ key: String, _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int
    ) -> Int64 {
        guard let value = host?.configuration(key) else { return -1 }
        if let buffer, capacity > 0 {
            let bytes = value.utf8.prefix(capacity - 1)
            for (index, byte) in bytes.enumerated() { buffer[index] = CChar(bitPattern: byte) }
            buffer[bytes.count] = 0
        }
        return Int64(value.utf8.count)
    }

    // MARK: Waking

    private func wake(at instant: Int64, _ call: Call) -> UInt64 {
        let (token, clock) = state.withLock { state in
            defer { state.nextWake += 1 }
            if state.host != nil { state.wakes[state.nextWake] = Wake() }
            return (state.nextWake, state.host?.clock)
        }
        guard let clock else { return token }
        let task = clock.spawn("wake a plugin") { [self] in
            try? await clock.sleep(until: SensorInstant(nanoseconds: instant), tolerance: nil)
            // Whoever removes the entry decides: this, or `cancelWake`.
            if state.withLock({ $0.wakes.removeValue(forKey: token) }) != nil {
                call.function(call.argument)
            }
        }
        let isOver = state.withLock { state in
            guard state.wakes[token] != nil else { return true }
            state.wakes[token]?.task = task
            return false
        }
        if isOver { task.cancel() }
        return token
    }

    private func cancelWake(_ token: UInt64) -> Bool {
        guard let wake = state.withLock({ $0.wakes.removeValue(forKey: token) }) else {
            return false
        }
        wake.task?.cancel()
        return true
    }

    private func run(_ call: Call) {
        // After the end, work still runs, so that what waits in the plugin can be given back.
        let clock: any SensorClock = host?.clock ?? SystemClock()
        clock.spawn("run a plugin's work") { call.function(call.argument) }
    }
}
