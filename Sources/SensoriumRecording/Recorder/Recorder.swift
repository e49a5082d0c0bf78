public import Sensorium
import SensoriumPluginKit

/// Writes what sensors give into a recording, while they give it.
///
/// ```swift
/// let clock = SystemClock()
/// let writer = try RecordingFormat.create("walk.mcap", clock: clock)
/// let recorder = Recorder(to: writer, clock: clock)
/// try await recorder.record(location)
/// try await recorder.record(accelerometer, SamplingRequest(rate: 100))
/// await clock.pause(for: .seconds(60))
/// try await recorder.stop()
/// ```
///
/// Readings are stamped with their arrival and written by a thread of the recorder's own, so that
/// a slow disk holds no sensor up. What finds no room meanwhile is counted, in `progress` and in the
/// recording. At least every `flushInterval` everything goes to the operating system: a process that
/// is killed loses no more than that.
public final class Recorder: Sendable {
    /// The clock of the recording.
    public let clock: any SensorClock

    private let queue: RecorderQueue
    private let gate = AsyncGate()
    private let writing: Task<Void, Never>
    private let flushing: Task<Void, Never>
    /// Given when nothing more is written; the error, where that is why.
    private let end = Answer<RecordingError?>()
    /// Given when all sensors have ended.
    private let sensorsEnd = Answer<Void>()

    private struct State {
        var sessions: [any SensorSession] = []
        var opened: Set<SensorID> = []
        var isStopped = false
    }

    private let state = Guarded(State())

    /// Begins a recording.
    ///
    /// - Parameters:
    ///   - writer: where to; nobody else may use it from now on. Its metadata should name
    ///     `RecordingClock(of: clock)`.
    ///   - clock: stamps arrivals.
    ///   - flushInterval: how much time a process that is killed may lose.
    public convenience init(
        to writer: sending any RecordingWriter, clock: any SensorClock,
        flushInterval: Duration = .seconds(1)
    ) {
        self.init(to: writer, clock: clock, flushInterval: flushInterval, room: .init())
    }

    init(
        to writer: sending any RecordingWriter, clock: any SensorClock, flushInterval: Duration,
        room: RecorderQueue.Room
    ) {
        self.clock = clock
        queue = RecorderQueue(clock: clock, room: room)
        // Writing a file blocks; a virtual clock runs everything itself.
        let thread = clock.executor == nil ? SessionThread() : nil
        let (queue, deck, end) = (queue, Deck(writer), end)
        writing = clock.spawn("record", on: thread) { await deck.write(from: queue, end) }
        flushing = clock.spawn("flush the recording") {
            while await clock.pause(for: flushInterval) { queue.requestFlush() }
        }
    }

    deinit {
        // Whoever forgets `stop()` has a whole file all the same.
        queue.close()
        flushing.cancel()
    }

    /// Says that a sensor will be recorded.
    ///
    /// For formats that must know all sensors before the first reading comes, as CSV must: announce
    /// every one, then `record` them.
    public func announce(_ sensor: SensorDescriptor, _ request: SamplingRequest = .default) {
        _ = queue.add(RecordedSensor(sensor, requestedRate: request.rate))
    }

    /// Opens a sensor, and records it until it ends or the recorder is stopped.
    ///
    /// A sensor that cannot be opened stands in the recording with the reason.
    ///
    /// - Throws: `SensorError.busy` for one that is recorded already, `.unavailable` when nothing is
    ///   recorded any more, or what opening it throws.
    public func record<Reading: RecordableReading>(
        _ sensor: any Sensor<Reading>, _ request: SamplingRequest = .default
    ) async throws(SensorError) {
        let id = sensor.id
        await gate.enter()
        defer { gate.leave() }
        let isNew = state.withLock { $0.isStopped || $0.opened.insert(id).inserted }
        if !isNew { throw .busy(id, reason: "it is recorded already", hint: "record it once") }
        announce(sensor.descriptor, request)
        guard !isOver, let place = queue.place(of: id) else {
            throw .unavailable(id, reason: "the recording is over", hint: "begin another one")
        }
        do throws(SensorError) {
            let session = try await sensor.open(request, delivering: sink(place))
            queue.put(.opened(rate: session.grantedRate), of: place)
            state.withLock { $0.sessions.append(session) }
        } catch {
            queue.put(.ended(error), of: place)
            noticeEnds()
            throw error
        }
    }

    private func sink<Reading: RecordableReading>(_ place: Int) -> ReadingSink<Reading> {
        let queue = queue
        return ReadingSink(
            deliver: { queue.put($0, of: place) },
            report: { queue.put(.status($0), of: place) },
            lose: { queue.put(.lost($0), of: place) },
            finish: { [weak self] error in
                queue.put(.ended(error), of: place)
                self?.noticeEnds()
            })
    }

    private func noticeEnds() { if queue.haveAllEnded { sensorsEnd.give(()) } }

    /// Whether nothing is written any more: it was stopped, or the file cannot be written.
    public var isOver: Bool { end.value != nil }

    /// How it does.
    public var progress: RecorderProgress { queue.progress }

    /// Waits until all sensors have ended, or the file cannot be written any more, or the task is
    /// cancelled.
    ///
    /// The recorder must be stopped all the same.
    public func ended() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [end] in _ = await end.wait() }
            group.addTask { [sensorsEnd] in _ = await sensorsEnd.wait() }
            await group.next()
            group.cancelAll()
        }
    }

    /// Finishes the file, and closes the sensors.
    ///
    /// A second call gives the same.
    ///
    /// - Throws: why the file could not be written; what was written before can be read.
    public func stop() async throws(RecordingError) {
        await gate.enter()
        defer { gate.leave() }
        let sessions = state.withLock { state in
            defer { state.sessions = [] }
            state.isStopped = true
            return state.sessions
        }
        // The file first: closing a sensor may take its time.
        queue.close()
        flushing.cancel()
        await flushing.value
        await writing.value
        await withTaskGroup(of: Void.self) { group in
            for session in sessions { group.addTask { await session.close() } }
        }
        if let error = end.value ?? nil { throw error }
    }

    /// What the writing task has to itself.
    private final class Deck: @unchecked Sendable {  // no lock: only the writing task uses it
        private let writer: any RecordingWriter

        init(_ writer: sending any RecordingWriter) { self.writer = writer }

        /// Writes all that comes, until the queue is closed or the file cannot be written.
        func write(from queue: RecorderQueue, _ end: Answer<RecordingError?>) async {
            do throws(RecordingError) {
                while true {
                    let batch = await queue.next()
                    for item in batch.items {
                        switch item {
                        case .add(let sensor): try writer.add(sensor)
                        case .event(let event): try writer.write(event)
                        }
                    }
                    if batch.isLast { break }
                    if batch.mustFlush { try writer.flush() }
                    queue.report(byteCount: writer.byteCount)
                }
                try writer.finish()
                queue.report(byteCount: writer.byteCount)
                end.give(nil)
            } catch {
                queue.close()
                queue.report(byteCount: writer.byteCount)
                end.give(error)
            }
        }
    }
}
