import Sensorium
import SensoriumPluginKit

/// What a look at all contexts finds.
struct Survey: Sendable {
    /// The sensors found, in the order of contexts, devices and quantities.
    private(set) var sensors: [any Sensor] = []
    /// Why a context that is there could not be listed; nil where all could.
    private(set) var fault: IIOFault?
    /// The addresses of which nothing is known now: what was found there before may still be there.
    private(set) var unanswered: Set<String> = []

    private var finds: [Find] = []
    private let host: PluginHost
    private let pool: ReaderPool

    /// How long a look at one context may take, connecting to it included.
    static let limit = Duration.seconds(6)

    /// A part of a device, and what is known of it.
    private struct Find: Sendable {
        var part: SensedPart
        var entry: DeviceInventory.Entry
        var address: String
        var descriptor: SensorDescriptor
    }

    init(host: PluginHost, pool: ReaderPool) {
        self.host = host
        self.pool = pool
    }

    /// Looks at the devices of all contexts at once, each on a thread of its own: one that does not
    /// answer holds up none of the others.
    mutating func look(at settings: IIOSettings, through link: any IIOLink) async {
        let looks = settings.addresses.map { address in
            Look(
                address: address, connectLimit: settings.connectLimit(of: address),
                clock: host.clock, link: link)
        }
        for look in looks { take(await look.outcome(), of: look) }
    }

    private mutating func take(_ outcome: Look.Outcome, of look: Look) {
        switch outcome {
        case .found(let found):
            let taken = Set(finds.map(\.descriptor.id))
            finds += found.filter { !taken.contains($0.descriptor.id) }
        case .failed(let fault):
            if fault.condition == .absent, look.isLocal {
                // The kernel has no IIO at all: that is so on most machines, and no news.
                return host.log(.debug, "iio: this machine has no IIO devices")
            }
            host.log(.warning, "iio: \(fault.reason)")
            unanswered.insert(look.address)
            // Nobody there is nothing wrong; somebody who cannot be understood is.
            switch fault.condition {
            case .gone, .absent, .timedOut, .unanswered: break
            default: self.fault = self.fault ?? fault
            }
        case .silent(let limit, let hint):
            unanswered.insert(look.address)
            host.log(
                .warning,
                "iio: \(look.address) did not answer within \(limit.secondsText(1)) s; \(hint)")
        }
    }

    /// Where each sensor was found.
    var addresses: [SensorID: String] {
        Dictionary(finds.map { ($0.descriptor.id, $0.address) }) { first, _ in first }
    }

    /// A look at one context, under way from when it is made.
    private struct Look: Sendable {
        enum Outcome: Sendable {
            case found([Find])
            case failed(IIOFault)
            /// Nothing came in so much time; and what to do.
            case silent(Duration, String)
        }

        let address: String
        private let connectLimit: Duration?
        private let clock: any SensorClock
        private let start: SensorInstant
        /// Given when the context answered, in whatever way.
        private let connected = Answer<Bool>()
        private let listed = Answer<Result<[Find], IIOFault>>()

        var isLocal: Bool { address.hasPrefix("local") }

        init(
            address: String, connectLimit: Duration?, clock: any SensorClock, link: any IIOLink
        ) {
            self.address = address
            self.connectLimit = connectLimit
            self.clock = clock
            start = clock.now
            let (connected, listed) = (connected, listed)
            clock.spawn("list \(address)", on: link.makeThread()) {
                do throws(IIOFault) {
                    let context = try await link.connect(
                        to: address, timeout: DeviceReader.callLimit)
                    connected.give(true)
                    listed.give(.success(try await Survey.list(context, address)))
                } catch {
                    listed.give(.failure(error))
                    connected.give(false)
                }
            }
        }

        func outcome() async -> Outcome {
            if let connectLimit, await wait(for: connected, until: connectLimit) == nil {
                return .silent(
                    connectLimit,
                    "is iiod running there? (iio.connect-timeout gives it more seconds)")
            }
            switch await wait(for: listed, until: Survey.limit) {
            case .success(let found): return .found(found)
            case .failure(let fault): return .failed(fault)
            case nil: return .silent(Survey.limit, "look at its devices with iio_info")
            }
        }

        /// The answer, if it comes until so long after the start.
        private func wait<Value>(for answer: Answer<Value>, until limit: Duration) async -> Value? {
            let left = clock.now.duration(to: start.advanced(by: limit))
            return await clock.within(left) { await answer.wait() } ?? answer.value
        }
    }

    /// Marks the best sensor of each kind, and makes the sensors.
    mutating func choosePreferred() {
        for kind in Set(finds.map(\.descriptor.kind)) {
            let places = finds.indices.filter { finds[$0].descriptor.kind == kind }
            let best = places.min { Self.rank(finds[$0]) < Self.rank(finds[$1]) }
            if let best { finds[best].descriptor.isPreferred = true }
        }
        sensors = finds.map { makeSensor($0) }
    }

    /// The display's comes first, the keyboard's last; a chip's own temperature is not the air's.
    private static func rank(_ find: Find) -> Int {
        let place =
            switch find.descriptor.placement {
            case .display: 0
            case .unknown: 1
            case .external: 2
            case .base: 3
            }
        let isChips =
            find.part.quantity == .temperature
            && find.entry.device.parts.contains { $0.quantity.isVector }
        return place + (isChips ? 10 : 0)
    }

    private static func list(
        _ context: any IIOContext, _ address: String
    ) async throws(IIOFault) -> [Find] {
        var finds: [Find] = []
        var failure: IIOFault?
        do throws(IIOFault) {
            let inventory = try await DeviceInventory(
                of: context, at: IIOSettings.host(of: address))
            for entry in inventory.entries {
                let resolver = AttributeResolver(entry.device, through: context)
                for part in entry.device.parts {
                    let descriptor = try await describe(part, entry, address, resolver)
                    finds.append(
                        Find(part: part, entry: entry, address: address, descriptor: descriptor))
                }
            }
        } catch {
            failure = error
        }
        await context.close()
        // What was found before the connection broke is there all the same.
        if let failure, finds.isEmpty { throw failure }
        return finds
    }

    private static func describe(
        _ part: SensedPart, _ entry: DeviceInventory.Entry, _ address: String,
        _ resolver: AttributeResolver
    ) async throws(IIOFault) -> SensorDescriptor {
        let resolution = try await resolve(part, resolver)
        let unit = resolution.isScaled ? part.quantity.unitFactor : 1
        let device = entry.device
        let channel = device.channel(part.channels[0])
        var descriptor = SensorDescriptor(
            id: SensorID(
                ["iio", entry.token, part.quantity.kind.name].joined(separator: "/")
                    + (part.variant.map { "-\($0)" } ?? "")),
            kind: part.quantity.kind,
            name: [device.name ?? device.id, part.quantity.kind.name, part.variant]
                .compactMap(\.self).joined(separator: " "))
        if resolution.isScaled, !part.isProcessed {
            descriptor.resolution = resolution.scales.map(\.magnitude).max().map { $0 * unit }
        }
        // Numbers of 32 bits and more are wider than what any sensor fills.
        if let type = channel?.scan?.type, type.bits < 32, let resolution = descriptor.resolution {
            descriptor.range = Double(type.maximum) * resolution
        }
        descriptor.rates = try await rates(part, resolver)
        switch part.variant {
        case "lid": descriptor.placement = .display
        case "base": descriptor.placement = .base
        default: descriptor.placement = entry.placement
        }
        let isLocal = resolver.context.content.isLocal
        descriptor.needs =
            !isLocal
            ? "\(device.id) at \(address)"
            : device.isScannable(part) ? "/dev/\(device.id)" : "/sys/bus/iio/devices/\(device.id)"
        return descriptor
    }

    /// A device that does not tell its scale now is there all the same.
    private static func resolve(
        _ part: SensedPart, _ resolver: AttributeResolver
    ) async throws(IIOFault) -> PartResolution {
        do throws(IIOFault) {
            return try await resolver.resolve(part)
        } catch {
            if error.isOfConnection { throw error }
            return resolver.unresolved(part)
        }
    }

    private static func rates(
        _ part: SensedPart, _ resolver: AttributeResolver
    ) async throws(IIOFault) -> SamplingRates {
        switch try await RateChoice(resolver).available(part) {
        case .list(let offers):
            let rates = offers.map(\.value).filter { $0 > 0 }
            return rates.isEmpty ? .unknown : .listed(rates)
        case .range(let minimum, let step, let maximum):
            let least = minimum > 0 ? minimum : step
            return least > 0 && least <= maximum ? .range(least...maximum) : .unknown
        case nil:
            return .unknown
        }
    }

    private func makeSensor(_ find: Find) -> any Sensor {
        let core = IIOSensorCore(
            descriptor: find.descriptor, address: find.address, token: find.entry.token,
            part: find.part, isScannable: find.entry.device.isScannable(find.part), pool: pool,
            host: host
        ) { [pool] in
            pool.authorization(
                of: find.part, in: find.entry.device.id, at: find.address)
        }
        let quantity = find.part.quantity
        func motion<R: MotionReading>(_: R.Type) -> any Sensor {
            IIOMotionSensor<R>(core: core, decoding: .motion(quantity))
        }
        func scalar<R: ScalarReading>(_: R.Type) -> any Sensor {
            IIOScalarSensor<R>(core: core, decoding: .scalar(quantity))
        }
        return switch quantity {
        case .acceleration: motion(Acceleration.self)
        case .angularVelocity: motion(AngularVelocity.self)
        case .magneticField: motion(MagneticField.self)
        case .pressure: scalar(Pressure.self)
        case .temperature: scalar(Temperature.self)
        case .humidity: scalar(Humidity.self)
        case .illuminance: scalar(Illuminance.self)
        case .proximity: scalar(Proximity.self)
        }
    }
}
