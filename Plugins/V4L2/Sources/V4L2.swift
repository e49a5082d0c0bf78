import Sensorium

/// The cameras that Linux drives as Video4Linux capture devices: webcams, grabbers, `vivid`.
///
/// Configuration: `v4l2.size`, `v4l2.format` and `v4l2.rate` choose what to ask the camera for;
/// `v4l2.unplug` what happens when it is pulled out. `V4L2Settings` has them all.
public final class V4L2: SensorPlugin {
    /// What the plugin is.
    public static let manifest = PluginManifest(id: "v4l2", version: "0.1.0", kinds: [.camera])

    private struct State {
        var watch: (any V4L2Watch)?
        var tell: (@Sendable (SensorChange) -> Void)?
        /// What the registry has been told of.
        var known: Set<SensorID> = []
        /// Those of them that are away, and not told of, since their sessions wait for them.
        var awaited: Set<SensorID> = []
        var isLooking = false
        var mustLookAgain = false
        var isStopped = false
    }

    private let host: PluginHost
    private let desk: SessionDesk
    private let state = Guarded(State())

    /// udev's rules, which grant the right to open a node, run after the kernel has told of it.
    private static let settling = Duration.milliseconds(300)

    /// Makes a plugin over a link of one's own: a spy.
    package init(host: PluginHost, link: any V4L2Link) {
        self.host = host
        desk = SessionDesk(link: link, host: host)
    }

    /// How many cameras are open.
    package var sessionCount: Int { desk.count }

    /// Finds the cameras that are there now.
    public func discover() async throws(SensorError) -> [any Sensor] {
        let cameras = await Survey(desk).cameras
        state.withLock { $0.known = Set(cameras.map(\.descriptor.id)) }
        return cameras
    }

    /// Tells of cameras that are plugged in or out.
    ///
    /// One that is read and pulled out stays, as long as its session waits for it.
    public func watch(_ tell: @escaping @Sendable (SensorChange) -> Void) async {
        state.withLock { $0.tell = tell }
        desk.onEnd { [weak self] id in
            guard let self, self.state.withLock({ $0.awaited.contains(id) }) else { return }
            self.lookAgain()
        }
        let watch = desk.link.watch { [weak self] in self?.lookAgain() }
        if watch == nil {
            host.log(.info, "v4l2: the kernel's events cannot be read, so plugging is not noticed")
        }
        let isStopped = state.withLock { state in
            state.watch = watch
            return state.isStopped
        }
        if isStopped { watch?.end() }
    }

    /// Ends watching, and all sessions.
    public func stop() async {
        let watch = state.withLock { state in
            state.isStopped = true
            state.tell = nil
            return state.watch.take()
        }
        watch?.end()
        await desk.stop()
    }

    // MARK: Looking

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
        host.clock.spawn("look for cameras") { [weak self] in
            guard let self else { return }
            repeat {
                await self.host.clock.pause(for: Self.settling)
                self.compare(await Survey(self.desk).cameras)
            } while self.state.withLock({ state in
                state.isLooking = state.mustLookAgain && !state.isStopped
                state.mustLookAgain = false
                return state.isLooking
            })
        }
    }

    private func compare(_ cameras: [V4L2Camera]) {
        let present = Set(cameras.map(\.descriptor.id))
        typealias News = (
            departed: [SensorID], arrived: [V4L2Camera], tell: @Sendable (SensorChange) -> Void
        )
        let missing = state.withLock { $0.known }.subtracting(present)
        let awaited = missing.filter { desk.isAwaited($0) }
        let news = state.withLock { state -> News? in
            guard !state.isStopped, let tell = state.tell else { return nil }
            let departed = missing.subtracting(awaited).intersection(state.known)
            let arrived = cameras.filter { !state.known.contains($0.descriptor.id) }
            state.known.subtract(departed)
            state.known.formUnion(present)
            state.awaited = awaited
            return (departed.sorted(), arrived, tell)
        }
        guard let news else { return }
        for id in news.departed { news.tell(.departed(id)) }
        for camera in news.arrived { news.tell(.arrived(camera)) }
    }
}
