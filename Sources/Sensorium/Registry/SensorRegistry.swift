/// All the sensors of an app: linked in, loaded at run time, real or spied.
///
/// ```swift
/// let registry = SensorRegistry()
/// await registry.add(GPSD.self)
/// let location = registry.preferred(of: LocationFix.self)
/// ```
public final class SensorRegistry: Sendable {
    private struct Entry {
        var sensor: any RegisteredSensor
        var plugin: String?
    }

    private struct State {
        var entries: [SensorID: Entry] = [:]
        var plugins: [any PluginInstance] = []
        var listeners: [Int: ReadingRing<RegistryChange>] = [:]
        var nextListener = 0
    }

    /// What plugins are given.
    public let host: PluginHost
    private let state = Guarded(State())

    /// Makes an empty registry.
    public init(host: PluginHost = PluginHost()) { self.host = host }

    // MARK: Filling it

    /// Starts a plugin that is linked into the app, and adds its sensors.
    ///
    /// - Throws: what the plugin's `discover` throws.
    public func add<Plugin: SensorPlugin>(_ plugin: Plugin.Type) async throws(SensorError) {
        try await add(plugin.init(host: host))
    }

    /// Adds a plugin that was made already, and its sensors.
    ///
    /// - Throws: `SensorError.busy` when a plugin of that id is there; what `discover` throws, after
    ///   the plugin was stopped.
    public func add(_ plugin: any PluginInstance) async throws(SensorError) {
        let name = plugin.manifest.id
        let isNew = state.withLock { state in
            if state.plugins.contains(where: { $0.manifest.id == name }) { return false }
            state.plugins.append(plugin)
            return true
        }
        guard isNew else {
            throw .busy(
                SensorID(name), reason: "a plugin of this id is in the registry already",
                hint: "remove it first, or do not load it twice")
        }
        await plugin.watch { [weak self] change in
            switch change {
            case .arrived(let sensor): self?.insert(sensor, from: name)
            case .departed(let id): self?.remove(id)
            }
        }
        do throws(SensorError) {
            for sensor in try await plugin.discover() { insert(sensor, from: name) }
        } catch {
            await remove(plugin: name)
            throw error
        }
    }

    /// Adds one sensor, a spy for example.
    ///
    /// - Returns: false when a sensor of that id is there; it stays.
    @discardableResult
    public func add(_ sensor: any Sensor) -> Bool { insert(sensor, from: nil) }

    /// Removes a sensor.
    ///
    /// Streams on it end with `SensorError.disconnected`.
    public func remove(_ id: SensorID) {
        let entry = state.withLock { $0.entries.removeValue(forKey: id) }
        guard let entry else { return }
        entry.sensor.end(
            with: .disconnected(id, reason: "it left the machine", hint: "plug it in again"))
        tell(.departed(entry.sensor.descriptor))
    }

    /// Stops a plugin and removes its sensors.
    public func remove(plugin name: String) async {
        let (plugin, ids) = state.withLock { state in
            let place = state.plugins.firstIndex { $0.manifest.id == name }
            let ids = state.entries.filter { $0.value.plugin == name }.map(\.key).sorted()
            return (place.map { state.plugins.remove(at: $0) }, ids)
        }
        await plugin?.stop()
        for id in ids { remove(id) }
    }

    /// Stops every plugin and removes every sensor.
    public func removeAll() async {
        for name in plugins.map(\.id) { await remove(plugin: name) }
        for id in state.withLock({ $0.entries.keys.sorted() }) { remove(id) }
    }

    // MARK: Asking it

    /// The plugins, in the order of adding.
    public var plugins: [PluginManifest] {
        state.withLock { $0.plugins }.map(\.manifest)
    }

    /// All sensors, best first (see `sensors(of:)`), kind by kind.
    public var descriptors: [SensorDescriptor] {
        let all = state.withLock { state in state.entries.values.map(\.sensor.descriptor) }
        return all.sorted {
            $0.kind == $1.kind ? Self.isBetter($0, $1) : $0.kind.rawValue < $1.kind.rawValue
        }
    }

    /// The sensors that give `Reading`, best first: real ones before simulated ones, the one that
    /// its plugin prefers before others, then by id.
    public func sensors<Reading>(of _: Reading.Type = Reading.self) -> [SharedSensor<Reading>] {
        let all = state.withLock { state in
            state.entries.values.compactMap { $0.sensor as? SharedSensor<Reading> }
        }
        return all.sorted { Self.isBetter($0.descriptor, $1.descriptor) }
    }

    /// The best sensor that gives `Reading`; nil where there is none.
    public func preferred<Reading>(
        of type: Reading.Type = Reading.self
    ) -> SharedSensor<Reading>? {
        sensors(of: type).first
    }

    /// The sensor of that id, if it gives `Reading`.
    public func sensor<Reading>(
        _ id: SensorID, of _: Reading.Type = Reading.self
    ) -> SharedSensor<Reading>? {
        state.withLock { $0.entries[id]?.sensor } as? SharedSensor<Reading>
    }

    /// The sensor of that id, whatever it gives: a `SharedSensor` of its reading type.
    public func sensor(_ id: SensorID) -> (any Sensor)? {
        state.withLock { $0.entries[id]?.sensor }
    }

    /// Arrivals and departures from now on: what is there already is not told.
    public var changes: RegistryChanges {
        let ring = ReadingRing<RegistryChange>(.newest(1024), keepsEvents: false)
        let id = state.withLock { state in
            state.nextListener += 1
            state.listeners[state.nextListener] = ring
            return state.nextListener
        }
        return RegistryChanges(ring: ring) { [weak self] in
            _ = self?.state.withLock { $0.listeners.removeValue(forKey: id) }
        }
    }

    private static func isBetter(_ a: SensorDescriptor, _ b: SensorDescriptor) -> Bool {
        if a.isSimulated != b.isSimulated { return b.isSimulated }
        if a.isPreferred != b.isPreferred { return a.isPreferred }
        return a.id < b.id
    }

    // MARK: Inside

    @discardableResult
    private func insert(_ sensor: any Sensor, from plugin: String?) -> Bool {
        insert(shared(sensor), from: plugin)
    }

    private func shared<S: Sensor>(_ sensor: S) -> any RegisteredSensor {
        (sensor as? SharedSensor<S.Reading>) ?? SharedSensor<S.Reading>(sensor)
    }

    private func insert(_ sensor: any RegisteredSensor, from plugin: String?) -> Bool {
        let descriptor = sensor.descriptor
        let isNew = state.withLock { state in
            // A plugin that was removed meanwhile may still tell of an arrival.
            if let plugin, !state.plugins.contains(where: { $0.manifest.id == plugin }) {
                return false
            }
            if state.entries[descriptor.id] != nil { return false }
            state.entries[descriptor.id] = Entry(sensor: sensor, plugin: plugin)
            return true
        }
        if isNew {
            tell(.arrived(descriptor))
        } else {
            host.log(.debug, "\(descriptor.id) is in the registry already; the first one stays")
        }
        return isNew
    }

    private func tell(_ change: RegistryChange) {
        for ring in state.withLock({ Array($0.listeners.values) }) { ring.put(one: change) }
    }
}

/// A sensor came to a registry, or left it.
public enum RegistryChange: Sendable, Hashable {
    /// It is there now.
    case arrived(SensorDescriptor)
    /// It is gone.
    case departed(SensorDescriptor)
}

/// The arrivals and departures of a registry, for one loop.
///
/// The newest 1024 wait.
public struct RegistryChanges: AsyncSequence, Sendable {
    /// A change.
    public typealias Element = RegistryChange
    /// It does not fail; it ends when the task is cancelled.
    public typealias Failure = Never

    private let subscription: Subscription

    init(ring: ReadingRing<RegistryChange>, end: @escaping @Sendable () -> Void) {
        subscription = Subscription(ring: ring, end: end)
    }

    /// Starts the loop.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(subscription: subscription) }

    /// Gives changes one by one.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let subscription: Subscription

        /// The next change; nil when the task is cancelled.
        public mutating func next() async -> RegistryChange? {
            await next(isolation: #isolation)
        }

        /// The next change; nil when the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> RegistryChange? {
            while true {
                var change: RegistryChange?
                switch subscription.ring.takeOne(&change) {
                case .some: return change
                case .nothingYet: await subscription.ring.wait()
                case .end: return nil
                }
            }
        }
    }

    /// Ends the registry's interest when the last loop is gone.
    fileprivate final class Subscription: Sendable {
        let ring: ReadingRing<RegistryChange>
        private let end: @Sendable () -> Void

        init(ring: ReadingRing<RegistryChange>, end: @escaping @Sendable () -> Void) {
            self.ring = ring
            self.end = end
        }

        deinit { end() }
    }
}

/// A `SharedSensor`, whatever it gives.
protocol RegisteredSensor: Sensor {
    func end(with error: SensorError)
}

extension SharedSensor: RegisteredSensor {}
