import CSensorium
import Sensorium

/// The host's table, checked once: what a plugin may call.
struct HostFunctions: @unchecked Sendable {  // no lock: constants, and functions for any thread
    private typealias Context = UnsafeMutableRawPointer?
    typealias Callback = @convention(c) (UnsafeMutableRawPointer?) -> Void

    private let context: Context
    private let nowFunction: @convention(c) (Context) -> Int64
    private let sampleFunction:
        @convention(c) (
            Context, UInt32, UnsafeMutablePointer<sensorium_clock_sample>?
        ) -> Int32
    private let logFunction: @convention(c) (Context, UInt32, UnsafePointer<CChar>?) -> Void
    private let configurationFunction:
        @convention(c) (
            Context, UnsafePointer<CChar>?, UnsafeMutablePointer<CChar>?, Int
        ) -> Int64
    private let wakeFunction: @convention(c) (Context, Int64, Callback?, Context) -> UInt64
    private let cancelFunction: @convention(c) (Context, UInt64) -> Int32
    private let runFunction: (@convention(c) (Context, Callback?, Context) -> Void)?

    /// Copies the table of a host; nil where it is of another boundary or lacks a function.
    init?(_ host: UnsafePointer<sensorium_host>?) {
        guard let host = host?.pointee, host.boundary == SENSORIUM_BOUNDARY,
            host.size >= UInt32(MemoryLayout<sensorium_host>.size), let now = host.now,
            let sample = host.sample, let log = host.log,
            let configuration = host.configuration, let wake = host.wake_at,
            let cancel = host.cancel_wake
        else { return nil }
        context = host.context
        nowFunction = now
        sampleFunction = sample
        logFunction = log
        configurationFunction = configuration
        wakeFunction = wake
        cancelFunction = cancel
        runFunction = host.run
    }

    func now() -> Int64 { nowFunction(context) }

    func sample(_ domain: UInt32) -> sensorium_clock_sample? {
        var sample = sensorium_clock_sample()
        return sampleFunction(context, domain, &sample) == 1 ? sample : nil
    }

    func log(_ level: LogLevel, _ message: String) {
        message.withCString { logFunction(context, UInt32(level.rawValue), $0) }
    }

    func configuration(_ key: String) -> String? {
        key.withCString { key in
            var capacity = 256
            // Twice, where the value is longer; more often only if it grows meanwhile.
            for _ in 0..<4 {
                var length: Int64 = -1
                let value = withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) {
                    buffer -> String? in
                    length = configurationFunction(context, key, buffer.baseAddress, capacity)
                    guard length >= 0, length < Int64(capacity) else { return nil }
                    return buffer.baseAddress.map { String(cString: $0) }
                }
                if let value { return value }
                guard length >= 0, length < 1 << 20 else { return nil }
                capacity = Int(length) + 1
            }
            return nil
        }
    }

    func wake(
        at instant: Int64, _ argument: UnsafeMutableRawPointer?, _ fire: Callback
    ) -> UInt64 {
        wakeFunction(context, instant, fire, argument)
    }

    /// Whether the wake-up was called off in time.
    func cancelWake(_ token: UInt64) -> Bool { cancelFunction(context, token) == 1 }

    var hasExecutor: Bool { runFunction != nil }

    func run(_ argument: UnsafeMutableRawPointer?, _ work: Callback) {
        runFunction?(context, work, argument)
    }
}

extension PluginHost {
    /// The host as a plugin written in Swift sees it.
    init(_ functions: HostFunctions, clock: HostClock) {
        self.init(
            clock: clock, configuration: { functions.configuration($0) },
            log: { functions.log($0, $1) })
    }
}
