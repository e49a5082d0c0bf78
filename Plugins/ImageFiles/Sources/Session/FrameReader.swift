import Sensorium
import SensoriumImages
import SensoriumPluginKit

/// One open session: reads frames from files, each in its time, until it is closed.
///
/// One task does all of it, on a thread of its own where files may block.
final class FrameReader: Sendable {
    private struct State {
        var isStopping = false
        /// Whether the consumer hears nothing any more.
        var isSealed = false
        var sleep: Task<Void, Never>?
    }

    private let path: String
    private let period: Duration
    private let loops: Bool
    private let link: any ImageFilesLink
    private let host: PluginHost
    private let sink: ReadingSink<CameraFrame>
    private let state = Guarded(State())
    /// Nil once the files are open, or the reason why they are not.
    let answer = Answer<ImageFileFault?>()
    /// Given when the task has ended, and the files are closed.
    private let ended = Answer<Bool>()

    /// How long closing may take; a read that blocks for longer is left to end by itself.
    private static let closeLimit = Duration.seconds(2)
    /// How long after the start the first frame comes, as from a camera, which has to expose it; sooner
    /// where frames come faster.
    private static let startTime = Duration.milliseconds(20)
    /// How many damaged frames a session names; the others are only counted.
    private static let namedDamages = 8

    init(
        _ path: String, rate: Double, loops: Bool, link: any ImageFilesLink, host: PluginHost,
        sink: ReadingSink<CameraFrame>
    ) {
        self.path = path
        period = .seconds(1 / rate)
        self.loops = loops
        self.link = link
        self.host = host
        self.sink = sink
    }

    private var isStopping: Bool { state.withLock { $0.isStopping } }

    /// Starts the task; `over` is called when it has ended.
    func start(over: @escaping @Sendable () -> Void) {
        host.clock.spawn("read pictures", on: link.makeThread()) {
            await self.run()
            over()
            self.ended.give(true)
        }
    }

    /// Ends it without a word to the consumer, and waits until its files are closed.
    func stop() async {
        let sleep = state.withLock { state in
            state.isStopping = true
            state.isSealed = true
            return state.sleep
        }
        sleep?.cancel()
        let (clock, ended) = (host.clock, ended)
        // In a task of its own: who closes is often cancelled, and would not wait.
        await clock.spawn("wait for pictures") {
            _ = await clock.within(Self.closeLimit) { await ended.wait() }
        }.value
    }

    /// Ends it and tells the consumer.
    func finish(_ error: SensorError?) {
        let sleep = state.withLock { state in
            state.isStopping = true
            if !state.isSealed {
                state.isSealed = true
                sink.finish(error)
            }
            return state.sleep
        }
        sleep?.cancel()
    }

    // MARK: The task

    private func run() async {
        do throws(ImageFileFault) {
            var pass = Pass(due: host.clock.now.advanced(by: min(period, Self.startTime)))
            repeat {
                let reel = try FrameReel(path, link)
                answer.give(nil)
                try await play(reel, &pass)
            } while loops && !isStopping
            finish(nil)
        } catch {
            if answer.value == nil {
                // Whoever opens gets it as the error of that.
                state.withLock { $0.isSealed = true }
                answer.give(error)
            }
            finish(SensorError(error, of: ImageCamera.id, wasThere: true))
        }
        answer.give(nil)
    }

    /// How far a session has come.
    private struct Pass {
        /// When the next frame is due.
        var due: SensorInstant
        var sequence: UInt32 = 0
        var hasWorked = false
        var namedDamages = 0
    }

    /// Plays from the beginning to the end.
    ///
    /// - Throws: a fault behind which nothing can be read, or the first damage where there never was
    ///   anything but damage.
    private func play(_ reel: FrameReel, _ pass: inout Pass) async throws(ImageFileFault) {
        var isBarren = true
        var firstDamage: ImageFileFault?
        while !isStopping, let step = try reel.next() {
            switch step {
            case .frame(let frame):
                await wait(until: pass.due)
                let now = host.clock.now
                deliver(frame.frame(at: ReadingTime(now), sequence: pass.sequence), &pass)
                // Who is late stays late: frames are not thrown at the consumer all at once.
                pass.due = max(pass.due.advanced(by: period), now)
                isBarren = false
            case .damage(let fault):
                firstDamage = firstDamage ?? fault
                lose(fault, &pass)
            }
            pass.sequence &+= 1
        }
        guard isBarren, !isStopping else { return }
        if !pass.hasWorked { throw firstDamage ?? .empty(path) }
        // A picture that is just being replaced will be whole again.
        pass.due = max(pass.due.advanced(by: period), host.clock.now)
        await wait(until: pass.due)
    }

    private func wait(until due: SensorInstant) async {
        let clock = host.clock
        guard clock.now < due else { return }
        let sleep = clock.spawn("wait for the next frame") {
            await clock.pause(for: clock.now.duration(to: due))
        }
        let mustWait = state.withLock { state in
            state.sleep = sleep
            return !state.isStopping
        }
        if !mustWait { sleep.cancel() }
        await sleep.value
        state.withLock { $0.sleep = nil }
    }

    // MARK: To the consumer. The sink is called with the lock held, so that nothing comes after `stop`.

    private func deliver(_ frame: CameraFrame, _ pass: inout Pass) {
        let isFirst = !pass.hasWorked
        pass.hasWorked = true
        state.withLock { state in
            if state.isSealed { return }
            if isFirst { sink.report(SensorStatus(.running)) }
            sink.deliver(frame)
        }
    }

    private func lose(_ fault: ImageFileFault, _ pass: inout Pass) {
        pass.namedDamages += 1
        if pass.namedDamages <= Self.namedDamages {
            host.log(.warning, "\(ImageCamera.id): \(fault)")
        }
        if pass.namedDamages == Self.namedDamages {
            host.log(.warning, "\(ImageCamera.id): further damage is only counted")
        }
        let isDamaged = fault.condition == .malformed || fault.condition == .unsupported
        state.withLock { state in
            if !state.isSealed { sink.lose(1, isDamaged ? .malformed : .device) }
        }
    }
}
