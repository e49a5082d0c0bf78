import Sensorium
import SensoriumTestKit
import Testing

@testable import SensoriumRecording

@Suite("recorder", .timeLimit(.minutes(1)))
struct RecorderTests {
    /// A recorder that writes into a collector.
    private struct Bench {
        let clock = VirtualClock()
        let written = Collected<CollectingWriter.Call>()
        let recorder: Recorder

        init(
            failingAt limit: Int? = nil, room: RecorderQueue.Room = .init()
        ) {
            recorder = Recorder(
                to: CollectingWriter(written, failingAt: limit), clock: clock,
                flushInterval: .seconds(1), room: room)
        }

        var events: [RecordedEvent] {
            written.all.compactMap { if case .write(let event) = $0 { event } else { nil } }
        }
    }

    @Test("writes what sensors give, at the time of its arrival, in one order")
    func order() async throws {
        let bench = Bench()
        let gps = LocationSensorSpy(clock: bench.clock)
        let imu = MotionSensorSpy<Acceleration>(clock: bench.clock)
        try await bench.clock.run {
            try await bench.recorder.record(gps)
            try await bench.recorder.record(imu, SamplingRequest(rate: 50))
            let start = bench.clock.now
            try await gps.deliver(latitude: 48, longitude: 11)
            await bench.clock.advance(by: .milliseconds(20))
            try await imu.deliver(x: 0, y: 1, z: 9.8)
            try await imu.lose(3, .device)
            try await imu.report(SensorStatus(.stale, reason: "nothing came", hint: "wait"))
            try await bench.recorder.stop()
            #expect(!gps.isOpen && !imu.isOpen)
            let events = bench.events
            #expect(events.compactMap(\.reading).map(\.kind) == [.location, .acceleration])
            #expect(
                events.filter { $0.reading != nil }.compactMap(\.instant)
                    == [start, start.advanced(by: .milliseconds(20))])
            let contents = events.map(\.content)
            #expect(contents.contains(.lost(ReadingLoss(count: 3, reason: .device))))
            #expect(
                contents.contains(
                    .status(SensorStatus(.stale, reason: "nothing came", hint: "wait"))))
            #expect(contents.filter { if case .opened = $0 { true } else { false } }.count == 2)
        }
        let sensors = bench.written.all.compactMap { call -> RecordedSensor? in
            if case .add(let sensor) = call { sensor } else { nil }
        }
        #expect(sensors.map(\.id) == [gps.id, imu.id])
        #expect(sensors.map(\.requestedRate) == [nil, 50])
        #expect(bench.written.all.last == .finish)
    }

    @Test("hands what was written to the system once a second")
    func flushes() async throws {
        let bench = Bench()
        let gps = LocationSensorSpy(clock: bench.clock)
        try await bench.clock.run {
            try await bench.recorder.record(gps)
            await bench.clock.advance(by: .milliseconds(500))
            try await gps.deliver(latitude: 48, longitude: 11)
            #expect(!bench.written.all.contains(.flush))
            await bench.clock.advance(by: .milliseconds(500))
            #expect(bench.written.all.last == .flush)
            await bench.clock.advance(by: .seconds(2))
            #expect(bench.written.all.filter { $0 == .flush }.count == 3)
            try await bench.recorder.stop()
        }
        #expect(bench.clock.sleeperCount == 0)
    }

    @Test("counts what finds no room, and says so in its place")
    func overflow() async throws {
        let bench = Bench(room: RecorderQueue.Room(readings: 4))
        let imu = MotionSensorSpy<Acceleration>(clock: bench.clock)
        try await bench.clock.run {
            try await bench.recorder.record(imu)
            await bench.clock.settle()
            // One delivery, so that nobody writes meanwhile.
            try await imu.deliver(
                (0..<10).map {
                    Acceleration(
                        time: ReadingTime(bench.clock.now), x: Double($0), y: 0, z: 0)
                })
            try await imu.deliver(x: 99, y: 0, z: 0)
            try await bench.recorder.stop()
        }
        let contents = bench.events.map(\.content).dropFirst()
        let text = contents.map { content in
            switch content {
            case .reading(.acceleration(let reading)): "\(Int(reading.x))"
            case .lost(let loss): "lost \(loss.count)"
            default: "?"
            }
        }
        #expect(text == ["0", "1", "2", "3", "lost 6", "99"])
        let progress = bench.recorder.progress
        #expect(progress.readings == 5)
        #expect(progress.lost == 6)
    }

    @Test("ends when every sensor has, and says why each did")
    func ends() async throws {
        let bench = Bench()
        let gps = LocationSensorSpy(clock: bench.clock)
        let imu = MotionSensorSpy<Acceleration>(clock: bench.clock)
        let reason = SensorError.disconnected(imu.id, reason: "it was pulled out", hint: "-")
        try await bench.clock.run {
            try await bench.recorder.record(gps)
            try await bench.recorder.record(imu)
            let isOver = Guarded(false)
            bench.clock.spawn("wait") {
                await bench.recorder.ended()
                isOver.withLock { $0 = true }
            }
            try await imu.finish(reason)
            await bench.clock.settle()
            #expect(!isOver.withLock { $0 })
            try await gps.finish()
            await bench.clock.settle()
            #expect(isOver.withLock { $0 })
            try await bench.recorder.stop()
        }
        #expect(bench.recorder.progress.sensors.map(\.error) == [nil, reason])
        #expect(bench.events.map(\.content).contains(.ended(reason)))
    }

    @Test("says why a sensor cannot be opened, and records the others")
    func refused() async throws {
        let bench = Bench()
        let gps = LocationSensorSpy(clock: bench.clock)
        let imu = MotionSensorSpy<Acceleration>(clock: bench.clock)
        try await bench.clock.run {
            try await gps.suffer(.deny)
            await #expect(throws: SensorError.self) { try await bench.recorder.record(gps) }
            try await bench.recorder.record(imu)
            await #expect(throws: SensorError.self) { try await bench.recorder.record(imu) }
            try await imu.deliver(x: 0, y: 0, z: 9.8)
            try await bench.recorder.stop()
            await #expect(throws: SensorError.self) { try await bench.recorder.record(gps) }
        }
        let progress = bench.recorder.progress
        #expect(progress.sensors.first?.hasEnded == true)
        #expect(progress.sensors.first?.error != nil)
        #expect(progress.readings == 1)
    }

    @Test("ends with the error of a full disk, closes the sensors, and loses nothing before it")
    func fullDisk() async throws {
        let bench = Bench(failingAt: 3)
        let imu = MotionSensorSpy<Acceleration>(clock: bench.clock)
        try await bench.clock.run {
            try await bench.recorder.record(imu)
            try await imu.deliver(x: 1, y: 0, z: 0)
            try await imu.deliver(x: 2, y: 0, z: 0)
            await bench.recorder.ended()
            #expect(bench.recorder.isOver)
            try await imu.deliver(x: 3, y: 0, z: 0)
            for _ in 0..<2 {
                await #expect(throws: CollectingWriter.full) { try await bench.recorder.stop() }
            }
            #expect(!imu.isOpen)
        }
        #expect(bench.events.compactMap(\.reading).count == 1)
    }

    @Test("knows all sensors before the first reading where they are announced")
    func announced() async throws {
        let bench = Bench()
        let gps = LocationSensorSpy(clock: bench.clock)
        let imu = MotionSensorSpy<Acceleration>(clock: bench.clock)
        try await bench.clock.run {
            bench.recorder.announce(gps.descriptor)
            bench.recorder.announce(imu.descriptor)
            try await bench.recorder.record(imu)
            try await imu.deliver(x: 0, y: 0, z: 9.8)
            try await bench.recorder.record(gps)
            try await bench.recorder.stop()
        }
        let adds = bench.written.all.prefix(2).map { call in
            if case .add(let sensor) = call { sensor.id } else { SensorID("") }
        }
        #expect(adds == [gps.id, imu.id])
    }

    @Test("finishes its file also when nobody stops it")
    func forgotten() async throws {
        let clock = VirtualClock()
        let written = Collected<CollectingWriter.Call>()
        try await clock.run {
            do { _ = Recorder(to: CollectingWriter(written), clock: clock) }
            await clock.settle()
        }
        #expect(written.all == [.finish])
        #expect(clock.sleeperCount == 0)
    }

    @Test("writes from a thread of its own on the system's clock")
    func thread() async throws {
        let written = Collected<CollectingWriter.Call>()
        let recorder = Recorder(to: CollectingWriter(written), clock: SystemClock())
        try await recorder.stop()
        #expect(written.all == [.finish])
    }
}

/// Remembers what it was asked to write, and fails where a test says so.
private final class CollectingWriter: RecordingWriter {
    enum Call: Equatable {
        case add(RecordedSensor)
        case write(RecordedEvent)
        case flush
        case finish
    }

    static let full = RecordingError(.full, path: "x.mcap", reason: "no space", hint: "make room")

    private let calls: Collected<Call>
    /// After how many calls nothing can be written.
    private let limit: Int?

    init(_ calls: Collected<Call>, failingAt limit: Int? = nil) {
        self.calls = calls
        self.limit = limit
    }

    private func take(_ call: Call) throws(RecordingError) {
        if let limit, calls.all.count >= limit { throw Self.full }
        calls.append(call)
    }

    func add(_ sensor: RecordedSensor) throws(RecordingError) { try take(.add(sensor)) }
    func write(_ event: RecordedEvent) throws(RecordingError) { try take(.write(event)) }
    func flush() throws(RecordingError) { try take(.flush) }
    func finish() throws(RecordingError) { try take(.finish) }
    var byteCount: UInt64 { UInt64(calls.all.count) }
}
