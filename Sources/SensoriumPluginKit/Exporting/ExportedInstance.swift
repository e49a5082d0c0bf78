import CSensorium
import Sensorium

/// A plugin of this image at work for one host, behind a `sensorium_instance *`.
final class ExportedInstance: Sendable {
    private let plugin: any SensorPlugin
    private let clock: HostClock
    private let sensors = Guarded<[String: any Sensor]>([:])
    private let outlet = WatcherOutlet()
    private let isWatching = Guarded(false)

    init(_ plugin: any SensorPlugin, clock: HostClock) {
        self.plugin = plugin
        self.clock = clock
    }

    /// A pointer that owns a reference, which `stop` gives back.
    func retainedPointer() -> OpaquePointer {
        OpaquePointer(Unmanaged.passRetained(self).toOpaque())
    }

    static func of(_ pointer: OpaquePointer?) -> ExportedInstance? {
        pointer.map {
            Unmanaged<ExportedInstance>.fromOpaque(UnsafeRawPointer($0)).takeUnretainedValue()
        }
    }

    // MARK: Sensors

    func discover(
        _ found: Completion<sensorium_found>, _ done: Completion<sensorium_done>
    ) {
        clock.spawn("discover") { [self] in
            do throws(SensorError) {
                for sensor in try await plugin.discover() {
                    remember(sensor)
                    sensor.descriptor.withBoundaryForm { found.function(found.argument, $0) }
                }
                done.function(done.argument, nil)
            } catch {
                SensorError.withBoundaryForm(error) { done.function(done.argument, $0) }
            }
        }
    }

    private func remember(_ sensor: any Sensor) {
        sensors.withLock { $0[sensor.descriptor.id.rawValue] = sensor }
    }

    private func sensor(_ id: String) -> (any Sensor)? { sensors.withLock { $0[id] } }

    func watch(
        _ watcher: UnsafePointer<sensorium_watcher>?, _ done: Completion<sensorium_done>
    ) {
        guard let watcher = Watcher(watcher) else {
            let error = SensorError.incompatible(
                SensorID(plugin.manifest.id), reason: "the host's watcher lacks a function",
                hint: "build host and plugin with the same sensorium_plugin.h")
            return SensorError.withBoundaryForm(error) { done.function(done.argument, $0) }
        }
        outlet.open(watcher)
        // A plugin is told to watch once; from then on it is the outlet that opens and closes.
        let isFirst = isWatching.withLock { watching in
            defer { watching = true }
            return !watching
        }
        clock.spawn("watch") { [self] in
            if isFirst { await plugin.watch { [weak self] in self?.tell($0) } }
            done.function(done.argument, nil)
        }
    }

    func unwatch(_ done: Completion<sensorium_done>) {
        outlet.close { done.function(done.argument, nil) }
    }

    private func tell(_ change: SensorChange) {
        switch change {
        case .arrived(let sensor):
            remember(sensor)
            outlet.tell { watcher in
                sensor.descriptor.withBoundaryForm { watcher.arrived(watcher.context, $0) }
            }
        case .departed(let id):
            _ = sensors.withLock { $0.removeValue(forKey: id.rawValue) }
            outlet.tell { watcher in
                id.rawValue.withCString { watcher.departed(watcher.context, $0) }
            }
        }
    }

    // MARK: Sessions

    func open(
        _ id: String, _ request: UnsafePointer<sensorium_request>?,
        _ receiver: UnsafePointer<sensorium_receiver>?, _ opened: Completion<sensorium_opened>
    ) {
        func refuse(_ error: SensorError) {
            SensorError.withBoundaryForm(error) { opened.function(opened.argument, nil, 0, $0) }
        }
        guard let receiver = HostReceiver(receiver) else {
            return refuse(
                .incompatible(
                    SensorID(id), reason: "the host's receiver lacks a function",
                    hint: "build host and plugin with the same sensorium_plugin.h"))
        }
        guard let sensor = sensor(id) else {
            return refuse(
                .unavailable(
                    SensorID(id), reason: "the plugin has no such sensor",
                    hint: "it may have gone; look again"))
        }
        let request = request.map { SamplingRequest($0.pointee) } ?? .default
        open(sensor, request, receiver, opened)
    }

    /// `as? any Sensor<Reading>` would be nil here once the host has made that type: the runtime
    /// tells such types apart by name, over all images.
    ///
    /// So the reading's own type is asked.
    private func open<Opened: Sensor>(
        _ sensor: Opened, _ request: SamplingRequest, _ receiver: HostReceiver,
        _ opened: Completion<sensorium_opened>
    ) {
        guard let reading = Opened.Reading.self as? any BoundaryReading.Type else {
            let error = SensorError.unsupported(
                sensor.id, reason: "readings of type \(Opened.Reading.self) cannot cross to a host",
                hint: "link the plugin into the app instead of loading it")
            return SensorError.withBoundaryForm(error) {
                opened.function(opened.argument, nil, 0, $0)
            }
        }
        open(sensor, as: reading, request, receiver, opened)
    }

    private func open<Opened: Sensor, Reading: BoundaryReading>(
        _ sensor: Opened, as _: Reading.Type, _ request: SamplingRequest,
        _ receiver: HostReceiver, _ opened: Completion<sensorium_opened>
    ) {
        let outlet = ReadingSink<Reading>(ReceiverOutlet<Reading>(receiver))
        // The two are the same type, which only the runtime can tell: `Reading` is what it found.
        guard let sink = outlet as? ReadingSink<Opened.Reading> else { return }
        clock.spawn("open") { [clock] in
            do throws(SensorError) {
                let session = try await sensor.open(request, delivering: sink)
                let exported = ExportedSession(session, clock: clock)
                opened.function(
                    opened.argument, exported.retainedPointer(), session.grantedRate ?? 0, nil)
            } catch {
                SensorError.withBoundaryForm(error) {
                    opened.function(opened.argument, nil, 0, $0)
                }
            }
        }
    }

    // MARK: Authorization

    func authorization(_ id: String) -> UInt8 {
        (sensor(id)?.authorization ?? .notDetermined).rawValue
    }

    func requestAuthorization(_ id: String, _ answered: Completion<sensorium_answered>) {
        let sensor = sensor(id)
        clock.spawn("request authorization") {
            let status = await sensor?.requestAuthorization() ?? .notDetermined
            answered.function(answered.argument, UInt32(status.rawValue))
        }
    }

    func stop(_ stopped: Completion<sensorium_closed>) {
        let owned = Unmanaged.passUnretained(self)
        clock.spawn("stop") { [self] in
            await plugin.stop()
            sensors.withLock { $0 = [:] }
            owned.release()
            stopped.function(stopped.argument)
        }
    }
}
