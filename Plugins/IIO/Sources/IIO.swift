import Sensorium
import SensoriumPluginKit

/// The sensors of Linux's Industrial I/O: accelerometers, gyroscopes, magnetometers and
/// environment sensors, of this machine or of one that runs `iiod`.
///
/// Configuration: `iio.uri` names the contexts to look in, `local:` by default;
/// `iio.connect-timeout` says how many seconds each may take to answer;
/// `iio.mount-matrix.DEVICE` overrides what the firmware says about a device's mounting.
public final class IIO: SensorPlugin {
    /// What the plugin is.
    public static let manifest = PluginManifest(
        id: "iio", version: "0.1.0",
        kinds: [
            .acceleration, .angularVelocity, .magneticField, .pressure, .temperature, .humidity,
            .illuminance, .proximity,
        ])

    private struct State {
        var watch: (any DeviceWatch)?
        var tell: (@Sendable (SensorChange) -> Void)?
        /// The sensors that the host was told of, and where each was found.
        var known: [SensorID: String] = [:]
        var isLooking = false
        var mustLookAgain = false
        var isStopped = false
    }

    private let host: PluginHost
    private let link: any IIOLink
    private let pool: ReaderPool
    private let state = Guarded(State())

    /// udev's rules run after the kernel has told of a device.
    private static let settling = Duration.milliseconds(300)

    /// Makes a plugin over a link of one's own: a spy.
    package init(host: PluginHost, link: any IIOLink) {
        self.host = host
        self.link = link
        pool = ReaderPool(link: link, host: host)
    }

    /// How many devices are being read.
    package var readerCount: Int { pool.count }

    /// Finds the sensors of all contexts.
    ///
    /// - Throws: `SensorError.unavailable` when no context can be listed though there is one.
    public func discover() async throws(SensorError) -> [any Sensor] {
        let survey = await survey()
        let sensors = survey.sensors
        state.withLock { $0.known = survey.addresses }
        if sensors.isEmpty, let fault = survey.fault {
            throw .unavailable(
                SensorID(Self.manifest.id), reason: fault.reason,
                hint: "look with iio_info, or set iio.uri")
        }
        return sensors
    }

    /// Tells of devices that are plugged into this machine, or out of it.
    public func watch(_ tell: @escaping @Sendable (SensorChange) -> Void) async {
        guard IIOSettings(host).addresses.contains(where: { IIOSettings.host(of: $0) == nil })
        else {
            return
        }
        state.withLock { $0.tell = tell }
        let watch = link.watch { [weak self] in self?.lookAgain() }
        if watch == nil {
            host.log(.info, "iio: the kernel's events cannot be read, so plugging is not noticed")
        }
        let isStopped = state.withLock { state in
            state.watch = watch
            return state.isStopped
        }
        if isStopped { watch?.end() }
    }

    /// Ends watching, and all readings.
    public func stop() async {
        let watch = state.withLock { state in
            state.isStopped = true
            state.tell = nil
            return state.watch.take()
        }
        watch?.end()
        await pool.stop()
    }

    // MARK: Looking

    private func survey() async -> Survey {
        var survey = Survey(host: host, pool: pool)
        await survey.look(at: IIOSettings(host), through: link)
        survey.choosePreferred()
        return survey
    }

    /// Looks again soon, once for many events.
    private func lookAgain() {
        let mustStart = state.withLock { state in
            if state.isStopped { return false }
            if state.isLooking {
                state.mustLookAgain = true
                return false
            }
            state.isLooking = true
            return true
        }
        guard mustStart else { return }
        host.clock.spawn("look for IIO devices") { [weak self] in
            guard let self else { return }
            repeat {
                await self.host.clock.pause(for: Self.settling)
                self.compare(await self.survey())
            } while self.state.withLock({ state in
                state.isLooking = state.mustLookAgain && !state.isStopped
                state.mustLookAgain = false
                return state.isLooking
            })
        }
    }

    private func compare(_ survey: Survey) {
        let present = survey.addresses
        typealias Before = (known: [SensorID: String], tell: @Sendable (SensorChange) -> Void)
        let before = state.withLock { state -> Before? in
            // A look that failed says nothing of what is there.
            guard !state.isStopped, survey.fault == nil, let tell = state.tell else { return nil }
            defer {
                state.known = state.known.filter { survey.unanswered.contains($0.value) }
                    .merging(present) { _, new in new }
            }
            return (state.known, tell)
        }
        guard let before else { return }
        let gone = before.known.filter { id, address in
            present[id] == nil && !survey.unanswered.contains(address)
        }
        for id in gone.keys.sorted() { before.tell(.departed(id)) }
        for sensor in survey.sensors where before.known[sensor.descriptor.id] == nil {
            before.tell(.arrived(sensor))
        }
    }
}
