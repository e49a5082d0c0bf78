import Sensorium

/// A running look-out for devices that come and go.
package protocol DeviceWatch: Sendable {
    /// Ends it; nothing is told after it returns.
    func end()
}

extension UeventWatch: DeviceWatch {}

/// Keeps a host told of the sensors of a plugin whose devices come and go.
///
/// A sensor whose session waits for its device stays, as far as the host knows, until that session
/// has ended.
package final class DeviceLookout: Sendable {
    private struct State {
        var watch: (any DeviceWatch)?
        var tell: (@Sendable (SensorChange) -> Void)?
        /// What the host has been told of.
        var known: Set<SensorID> = []
        /// Those of them that are away, and not told of, since their sessions wait for them.
        var awaited: Set<SensorID> = []
        var isLooking = false
        var mustLookAgain = false
        var isStopped = false
    }

    private let host: PluginHost
    private let plugin: String
    private let look: @Sendable () async -> [any Sensor]
    private let isAwaited: @Sendable (SensorID) -> Bool
    private let state = Guarded(State())

    /// udev's rules, which grant the right to open a node, run after the kernel has told of it.
    private static let settling = Duration.milliseconds(300)

    /// Makes a look-out.
    ///
    /// - Parameters:
    ///   - plugin: its name, for diagnostics.
    ///   - host: whom the plugin works for.
    ///   - look: finds the sensors that are there now.
    ///   - isAwaited: whether a session waits for that sensor's device while it is away.
    package init(
        of plugin: String, host: PluginHost, look: @escaping @Sendable () async -> [any Sensor],
        isAwaited: @escaping @Sendable (SensorID) -> Bool
    ) {
        self.plugin = plugin
        self.host = host
        self.look = look
        self.isAwaited = isAwaited
    }

    /// Finds the sensors that are there now, for the host's first look.
    package func discover() async -> [any Sensor] {
        let sensors = await look()
        state.withLock { $0.known = Set(sensors.map(\.descriptor.id)) }
        return sensors
    }

    /// Tells of what comes and goes from now on.
    ///
    /// - Parameter start: starts the watch, which is to call what it is given; nil where it cannot.
    package func watch(
        _ tell: @escaping @Sendable (SensorChange) -> Void,
        through start: (@escaping @Sendable () -> Void) -> (any DeviceWatch)?
    ) {
        state.withLock { $0.tell = tell }
        let watch = start { [weak self] in self?.lookAgain() }
        if watch == nil {
            host.log(
                .info, "\(plugin): the kernel's events cannot be read, so plugging is not noticed")
        }
        let isStopped = state.withLock { state in
            state.watch = watch
            return state.isStopped
        }
        if isStopped { watch?.end() }
    }

    /// Looks again when the session of a sensor has ended whose device is away.
    package func noteEnd(of id: SensorID) {
        if state.withLock({ $0.awaited.contains(id) }) { lookAgain() }
    }

    /// Ends it; nothing is told after it returns.
    package func stop() {
        let watch = state.withLock { state in
            state.isStopped = true
            state.tell = nil
            return state.watch.take()
        }
        watch?.end()
    }

    /// Looks again soon, once for many events.
    private func lookAgain() {
        let mustStart = state.withLock { state in
            if state.isStopped || state.tell == nil { return false }
            if state.isLooking {
                state.mustLookAgain = true
                return false
            }
            state.isLooking = true
            return true
        }
        guard mustStart else { return }
        host.clock.spawn("look for devices of \(plugin)") { [weak self] in
            guard let self else { return }
            repeat {
                await self.host.clock.pause(for: Self.settling)
                self.compare(await self.look())
            } while self.state.withLock({ state in
                state.isLooking = state.mustLookAgain && !state.isStopped
                state.mustLookAgain = false
                return state.isLooking
            })
        }
    }

    private func compare(_ sensors: [any Sensor]) {
        let present = Set(sensors.map(\.descriptor.id))
        typealias News = (
            departed: [SensorID], arrived: [any Sensor], tell: @Sendable (SensorChange) -> Void
        )
        let missing = state.withLock { $0.known }.subtracting(present)
        let awaited = missing.filter { isAwaited($0) }
        let news = state.withLock { state -> News? in
            guard !state.isStopped, let tell = state.tell else { return nil }
            let departed = missing.subtracting(awaited).intersection(state.known)
            let arrived = sensors.filter { !state.known.contains($0.descriptor.id) }
            state.known.subtract(departed)
            state.known.formUnion(present)
            state.awaited = awaited
            return (departed.sorted(), arrived, tell)
        }
        guard let news else { return }
        for id in news.departed { news.tell(.departed(id)) }
        for sensor in news.arrived { news.tell(.arrived(sensor)) }
    }
}
