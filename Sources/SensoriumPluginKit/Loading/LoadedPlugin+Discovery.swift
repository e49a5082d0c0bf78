import CSensorium
public import Sensorium

extension LoadedPlugin {
    /// Finds the sensors that are there now.
    ///
    /// What this host does not understand is left out, with a warning in the host's log.
    ///
    /// - Throws: what the plugin says, or `SensorError.timedOut` when it takes longer than 30 s.
    public func discover() async throws(SensorError) -> [any Sensor] {
        let id = SensorID(manifest.id)
        guard let ticket = calls.begin() else { throw stoppedError(id) }
        let search = Search(self, ticket)
        let token = Search.all.insert(search)
        firstCalls.guarding {
            table.discover(
                instance,
                { token, descriptor in Search.all.value(token)?.take(descriptor) },
                { token, failure in
                    Search.all.remove(token)?.end(failure)
                }, token)
        }
        let result = await search.answer.value(
            within: limits.discover, on: host.clock,
            late: .failure(
                .timedOut(
                    id, after: limits.discover,
                    hint: "the plugin did not finish looking for sensors")),
            cancelled: .failure(.cancelled(id)))
        if case .failure(.timedOut) = result { ticket.end() }
        // A plugin that hangs is not held against it at the next start: nothing crashed.
        firstCalls.end()
        return try result.get().map(sensor)
    }

    /// This app's sensor for a description; every kind has its own concrete class.
    func sensor(_ descriptor: SensorDescriptor) -> any Sensor {
        switch descriptor.kind {
        case .location: LoadedSensor<LocationFix>(self, descriptor)
        case .satellites: LoadedSensor<Satellites>(self, descriptor)
        case .heading: LoadedSensor<Heading>(self, descriptor)
        case .attitude: LoadedSensor<Attitude>(self, descriptor)
        case .acceleration: LoadedSensor<Acceleration>(self, descriptor)
        case .angularVelocity: LoadedSensor<AngularVelocity>(self, descriptor)
        case .magneticField: LoadedSensor<MagneticField>(self, descriptor)
        case .pressure: LoadedSensor<Pressure>(self, descriptor)
        case .temperature: LoadedSensor<Temperature>(self, descriptor)
        case .humidity: LoadedSensor<Humidity>(self, descriptor)
        case .illuminance: LoadedSensor<Illuminance>(self, descriptor)
        case .proximity: LoadedSensor<Proximity>(self, descriptor)
        case .camera: LoadedSensor<CameraFrame>(self, descriptor)
        case .touch: LoadedSensor<TouchEvent>(self, descriptor)
        case .key: LoadedSensor<KeyEvent>(self, descriptor)
        }
    }

    /// Copies a description; nil, with a warning in the log, where it is none.
    func describe(_ descriptor: UnsafePointer<sensorium_descriptor>?) -> SensorDescriptor? {
        do throws(DescriptorFault) {
            return try SensorDescriptor(descriptor, plugin: manifest.id)
        } catch {
            host.log(.warning, "\(path): \(error)")
            return nil
        }
    }
}

/// What one call of `discover` has found so far.
private final class Search: Sendable {
    static let all = TokenTable<Search>()

    let answer = PendingAnswer<Result<[SensorDescriptor], SensorError>>()
    private let plugin: LoadedPlugin
    private let ticket: CallsUnderWay.Ticket
    private let found = Guarded<[SensorDescriptor]>([])

    init(_ plugin: LoadedPlugin, _ ticket: CallsUnderWay.Ticket) {
        self.plugin = plugin
        self.ticket = ticket
    }

    func take(_ descriptor: UnsafePointer<sensorium_descriptor>?) {
        guard let one = plugin.describe(descriptor) else { return }
        found.withLock { $0.append(one) }
    }

    func end(_ failure: UnsafePointer<sensorium_failure>?) {
        if let error = SensorError(failure, about: SensorID(plugin.manifest.id)) {
            answer.give(.failure(error))
        } else {
            answer.give(.success(found.withLock { $0 }))
        }
        ticket.end()
    }
}
