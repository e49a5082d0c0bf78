import CSensorium
public import Sensorium

/// Makes the table that a loaded plugin hands to its host, for a plugin written in Swift.
///
/// A plugin's `Sources/` calls it in one exported function, and its `Entry/` names that function in
/// `SENSORIUM_PLUGIN`:
///
/// ```swift
/// @c(sensorium_gpsd_plugin)
/// public func exportedPlugin() -> UnsafeRawPointer? { exportedTable(GPSD.self) }
/// ```
///
/// - Returns: a `sensorium_plugin_table` that lives as long as the process.
public func exportedTable<Plugin: SensorPlugin>(_ plugin: Plugin.Type) -> UnsafeRawPointer? {
    ExportedPlugin.table(of: plugin)
}

/// A plugin type of this image, behind the context pointer of its table.
final class ExportedPlugin: Sendable {
    let type: any SensorPlugin.Type

    private init(_ type: any SensorPlugin.Type) { self.type = type }

    /// Tables by the type that they were made for: asking again gives the same one.
    private static let tables = Guarded<[ObjectIdentifier: UInt]>([:])

    static func table(of type: any SensorPlugin.Type) -> UnsafeRawPointer? {
        let address = tables.withLock { tables in
            let key = ObjectIdentifier(type)
            if let address = tables[key] { return address }
            let table = UnsafeMutablePointer<sensorium_plugin_table>.allocate(capacity: 1)
            table.initialize(to: makeTable(ExportedPlugin(type)))
            let address = UInt(bitPattern: table)
            tables[key] = address
            return address
        }
        return UnsafeRawPointer(bitPattern: address)
    }

    private static func makeTable(_ plugin: ExportedPlugin) -> sensorium_plugin_table {
        sensorium_plugin_table(
            size: UInt32(MemoryLayout<sensorium_plugin_table>.size), boundary: SENSORIUM_BOUNDARY,
            id: immortalText(plugin.type.manifest.id),
            version: immortalText(plugin.type.manifest.version),
            context: Unmanaged.passRetained(plugin).toOpaque(),
            start: { context, host, started, argument in
                guard let context, let started else { return }
                let plugin = Unmanaged<ExportedPlugin>.fromOpaque(context).takeUnretainedValue()
                plugin.start(host, Completion(started, argument))
            },
            discover: { instance, found, done, argument in
                guard let found, let done else { return }
                ExportedInstance.of(instance)?.discover(
                    Completion(found, argument), Completion(done, argument))
            },
            watch: { instance, watcher, done, argument in
                guard let done else { return }
                ExportedInstance.of(instance)?.watch(watcher, Completion(done, argument))
            },
            unwatch: { instance, done, argument in
                guard let done else { return }
                ExportedInstance.of(instance)?.unwatch(Completion(done, argument))
            },
            open: { instance, id, request, receiver, opened, argument in
                guard let opened else { return }
                ExportedInstance.of(instance)?.open(
                    LentText.copy(id) ?? "", request, receiver, Completion(opened, argument))
            },
            reconfigure: { session, request, reconfigured, argument in
                guard let reconfigured else { return }
                ExportedSession.of(session)?.reconfigure(
                    request, Completion(reconfigured, argument))
            },
            close: { session, closed, argument in
                guard let closed else { return }
                ExportedSession.of(session)?.close(Completion(closed, argument))
            },
            authorization: { instance, id in
                UInt32(ExportedInstance.of(instance)?.authorization(LentText.copy(id) ?? "") ?? 0)
            },
            request_authorization: { instance, id, answered, argument in
                guard let answered else { return }
                ExportedInstance.of(instance)?.requestAuthorization(
                    LentText.copy(id) ?? "", Completion(answered, argument))
            },
            stop: { instance, stopped, argument in
                guard let stopped else { return }
                ExportedInstance.of(instance)?.stop(Completion(stopped, argument))
            })
    }

    private func start(
        _ host: UnsafePointer<sensorium_host>?, _ started: Completion<sensorium_started>
    ) {
        guard let functions = HostFunctions(host) else {
            let error = SensorError.incompatible(
                SensorID(type.manifest.id),
                reason: "the host's table is not of boundary version \(SENSORIUM_BOUNDARY)",
                hint: "build host and plugin with the same sensorium_plugin.h")
            return SensorError.withBoundaryForm(error) {
                started.function(started.argument, nil, $0)
            }
        }
        let clock = HostClock(functions)
        let plugin = type.init(host: PluginHost(functions, clock: clock))
        let instance = ExportedInstance(plugin, clock: clock)
        started.function(started.argument, instance.retainedPointer(), nil)
    }

    private static func immortalText(_ text: String) -> UnsafePointer<CChar> {
        let bytes = text.utf8CString
        let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: bytes.count)
        _ = copy.initialize(from: bytes)
        guard let start = copy.baseAddress else { preconditionFailure("a text has its NUL") }
        return UnsafePointer(start)
    }
}

/// A function of the host, with the argument that it wants back.
struct Completion<Function>: @unchecked Sendable {  // no lock: constants, for any thread
    let function: Function
    let argument: UnsafeMutableRawPointer?

    init(_ function: Function, _ argument: UnsafeMutableRawPointer?) {
        self.function = function
        self.argument = argument
    }
}
