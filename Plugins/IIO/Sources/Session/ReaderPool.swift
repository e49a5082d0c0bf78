import Sensorium

/// The readers at work: one for each device, whatever the number of its sensors.
final class ReaderPool: Sendable {
    private struct State {
        var readers: [DeviceReader.Key: DeviceReader] = [:]
        var isStopped = false
    }

    private let link: any IIOLink
    private let host: PluginHost
    private let state = Guarded(State())

    init(link: any IIOLink, host: PluginHost) {
        self.link = link
        self.host = host
    }

    /// Whether this process may read that part of the device.
    ///
    /// The attributes in sysfs are for everybody, so that what can be polled can be read.
    func authorization(
        of part: SensedPart, in device: String, at address: String
    ) -> AuthorizationStatus {
        guard part.polled == nil, IIOSettings.host(of: address) == nil else { return .authorized }
        return link.authorization(of: device)
    }

    /// Lets a consumer join the reader of its device, which is started if there is none.
    ///
    /// - Returns: nil when the pool was stopped.
    func join(_ key: DeviceReader.Key, _ consumer: any ReaderConsumer) async -> DeviceReader? {
        while true {
            let reader = state.withLock { state -> DeviceReader? in
                if state.isStopped { return nil }
                if let reader = state.readers[key] { return reader }
                let reader = DeviceReader(key, link: link, host: host)
                state.readers[key] = reader
                return reader
            }
            guard let reader else { return nil }
            if reader.add(consumer) { return reader }
            // It is about to end, and holds the device until it has.
            await reader.stop()
            drop(reader)
        }
    }

    /// Lets a consumer leave its reader.
    func leave(_ reader: DeviceReader, _ consumer: any ReaderConsumer) async {
        await reader.remove(consumer)
        if reader.isStopping { drop(reader) }
    }

    private func drop(_ reader: DeviceReader) {
        state.withLock { state in
            if state.readers[reader.key] === reader { state.readers[reader.key] = nil }
        }
    }

    /// Ends every reader.
    func stop() async {
        let readers = state.withLock { state in
            state.isStopped = true
            defer { state.readers = [:] }
            return Array(state.readers.values)
        }
        for reader in readers { await reader.end() }
    }

    /// How many devices are read.
    var count: Int { state.withLock { $0.readers.count } }
}
