import CSensorium
import Sensorium

/// The table of a loaded plugin, checked once: every function is there.
struct PluginTable: @unchecked Sendable {  // no lock: constants of a library that is never unloaded
    typealias Argument = UnsafeMutableRawPointer?
    typealias Text = UnsafePointer<CChar>?
    typealias Instance = OpaquePointer
    typealias Session = OpaquePointer

    /// The plugin at work, or one of its sessions: a pointer that is the plugin's own.
    struct Owned: @unchecked Sendable {  // no lock: never looked into, only handed back
        let pointer: OpaquePointer
    }

    let id: String
    let version: String
    let context: UnsafeMutableRawPointer?
    let start:
        @convention(c) (
            Argument, UnsafePointer<sensorium_host>?, sensorium_started?, Argument
        ) -> Void
    let discover:
        @convention(c) (
            Instance?, sensorium_found?, sensorium_done?, Argument
        ) -> Void
    let watch:
        @convention(c) (
            Instance?, UnsafePointer<sensorium_watcher>?, sensorium_done?, Argument
        ) -> Void
    let unwatch: @convention(c) (Instance?, sensorium_done?, Argument) -> Void
    let open:
        @convention(c) (
            Instance?, Text, UnsafePointer<sensorium_request>?, UnsafePointer<sensorium_receiver>?,
            sensorium_opened?, Argument
        ) -> Void
    let reconfigure:
        @convention(c) (
            Session?, UnsafePointer<sensorium_request>?, sensorium_reconfigured?, Argument
        ) -> Void
    let close: @convention(c) (Session?, sensorium_closed?, Argument) -> Void
    let authorization: @convention(c) (Instance?, Text) -> UInt32
    let requestAuthorization:
        @convention(c) (
            Instance?, Text, sensorium_answered?, Argument
        ) -> Void
    let stop: @convention(c) (Instance?, sensorium_closed?, Argument) -> Void

    /// Copies what `sensorium_plugin` returned.
    ///
    /// - Parameter note: what the file said before it was loaded; the table must agree.
    init(_ pointer: UnsafePointer<sensorium_plugin_table>?, note: PluginNote) throws(LoadRefusal) {
        guard let pointer else {
            throw LoadRefusal(
                "gives no table: its sensorium_plugin() returns NULL",
                hint: "report it to the plugin's author")
        }
        // The first two members are all that is sure to be there.
        let boundary = pointer.pointer(to: \.boundary)?.pointee ?? 0
        guard boundary == SENSORIUM_BOUNDARY else {
            throw LoadRefusal(
                "has a table of boundary version \(boundary), and this host speaks version "
                    + "\(SENSORIUM_BOUNDARY)",
                hint: "build the plugin with this host's sensorium_plugin.h")
        }
        let size = pointer.pointer(to: \.size)?.pointee ?? 0
        guard size >= UInt32(MemoryLayout<sensorium_plugin_table>.size) else {
            throw .faultyTable("it is \(size) bytes long")
        }
        let table = pointer.pointee
        guard let start = table.start, let discover = table.discover, let watch = table.watch,
            let unwatch = table.unwatch, let open = table.open,
            let reconfigure = table.reconfigure, let close = table.close,
            let authorization = table.authorization,
            let requestAuthorization = table.request_authorization, let stop = table.stop
        else { throw .faultyTable("a function is missing") }
        id = LentText.copy(table.id) ?? ""
        version = LentText.copy(table.version) ?? ""
        guard id == note.id, version == note.version else {
            throw .faultyTable(
                "it says \(id) \(version), and the file's note says \(note.id) \(note.version)")
        }
        context = table.context
        self.start = start
        self.discover = discover
        self.watch = watch
        self.unwatch = unwatch
        self.open = open
        self.reconfigure = reconfigure
        self.close = close
        self.authorization = authorization
        self.requestAuthorization = requestAuthorization
        self.stop = stop
    }
}

extension LoadRefusal {
    fileprivate static func faultyTable(_ detail: String) -> LoadRefusal {
        LoadRefusal("has a faulty table: \(detail)", hint: "report it to the plugin's author")
    }
}
