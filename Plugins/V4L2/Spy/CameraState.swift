import Glibc
import Sensorium
import SensoriumTestKit
import V4L2Plugin

/// A scripted camera at work: its driver's side of the buffers.
///
/// The lock of the spy's `state` guards it.
struct CameraState {
    var camera: ScriptedCamera
    /// Wakes who waits for a frame; another one after each plugging.
    let signal = SpySignal()
    var absence: V4L2LinkSpy.Absence?
    var isStalled = false
    /// Another program that has the camera.
    var occupant: String?
    var format: V4L2Format
    var interval: V4L2Interval
    /// The handle that has buffers.
    var owner: Int?
    var memories: [SpyMemory] = []
    var queued: [Int] = []
    var done: [V4L2Buffer] = []
    var isStreaming = false
    var hasBuffers: Bool { !memories.isEmpty }
    /// Frames that wait for the stream to start, or for a buffer since it has.
    var backlog: [ScriptedFrame] = []
    var missed = 0
    /// How many frames a fault loses, and how many it cuts.
    var toDrop = 0
    var toCut = 0
    private var sequence: UInt32 = 0
    private var start = SensorInstant(nanoseconds: 0)
    private var taken = 0

    init(_ camera: ScriptedCamera) {
        self.camera = camera
        let mode = camera.modes.first
        format = camera.settled(
            V4L2Format(
                width: mode?.sizes.first?.width ?? 1, height: mode?.sizes.first?.height ?? 1,
                pixels: mode?.pixels ?? .grey))
        interval = (mode?.rates.first).map { V4L2Interval(rate: $0) } ?? V4L2Interval(0, 0)
    }

    /// Runs `body` on it in place.
    mutating func change<Result, Failure>(
        _ body: (inout CameraState) throws(Failure) -> Result
    ) throws(Failure) -> Result { try body(&self) }

    // MARK: The driver's side

    mutating func begin(at now: SensorInstant) {
        isStreaming = true
        (start, taken, sequence) = (now, 0, 0)
    }

    mutating func end() {
        isStreaming = false
        queued = []
        done = []
    }

    mutating func resume(at now: SensorInstant) {
        isStalled = false
        if let period { start = now.advanced(by: .zero - period * taken) }
    }

    /// How many frames of a burst were taken; they count over all streams of the camera.
    private var burstTaken = 0

    private var period: Duration? {
        guard case .steady = camera.feed, let rate = interval.rate else { return nil }
        return .nanoseconds(Int64(1e9 / rate))
    }

    /// When the next frame comes by itself; nil where none does.
    var nextDue: SensorInstant? {
        guard isStreaming, !isStalled, let period else { return nil }
        return start.advanced(by: period * (taken + 1))
    }

    /// Takes the frames that are due.
    mutating func produce(_ clock: any SensorClock) {
        guard isStreaming, !isStalled else { return }
        while !backlog.isEmpty, !queued.isEmpty {
            fill(backlog.removeFirst(), at: clock.now, clock)
        }
        switch camera.feed {
        case .pushed: break
        case .burst(let count):
            while burstTaken < count, !queued.isEmpty {
                burstTaken += 1
                fill(.picture, at: clock.now, clock)
            }
        case .steady:
            guard let period, period > .zero else { return }
            let due = Int(
                start.duration(to: clock.now).wholeNanoseconds / period.wholeNanoseconds)
            while taken < due, !queued.isEmpty || toDrop > 0 {
                taken += 1
                fill(.picture, at: start.advanced(by: period * taken), clock)
            }
            if taken < due {
                // Without a buffer the driver throws frames away, and counts on.
                missed += due - taken
                sequence &+= UInt32(truncatingIfNeeded: due - taken)
                taken = due
            }
        }
    }

    /// Takes a frame of the test's.
    mutating func take(_ frame: ScriptedFrame, _ clock: any SensorClock) {
        if !isStreaming || isStalled {
            backlog.append(frame)
        } else if queued.isEmpty {
            missed += 1
            sequence &+= 1
        } else {
            fill(frame, at: clock.now, clock)
        }
    }

    private mutating func fill(
        _ frame: ScriptedFrame, at instant: SensorInstant, _ clock: any SensorClock
    ) {
        let number = frame.sequence ?? sequence
        sequence = number &+ 1
        if toDrop > 0 {
            toDrop -= 1
            missed += 1
            return
        }
        let index = queued.removeFirst()
        let memory = memories[index]
        let length = memory.write(frame.bytes ?? picture(number))
        var flags: V4L2BufferFlags = frame.isDamaged ? .error : []
        var stamp = monotonic(instant, clock, .monotonic)
        switch camera.stamps {
        case .monotonic: flags.insert(.monotonic)
        case .exposure(let duration):
            flags.formUnion([.monotonic, .startOfExposure])
            stamp -= duration.wholeNanoseconds
        case .unsaid: stamp = monotonic(instant, clock, .realtime)
        case .copied(let copied):
            flags.insert(.copied)
            stamp = copied
        }
        var used = frame.bytesUsed ?? (frame.bytes == nil ? pictureLength(length) : length)
        if toCut > 0 {
            toCut -= 1
            used = 1
        }
        done.append(
            V4L2Buffer(
                index: frame.buffer ?? index, bytesUsed: used, dataOffset: frame.dataOffset,
                flags: flags, sequence: number, stamp: frame.stamp ?? stamp))
    }

    private func monotonic(
        _ instant: SensorInstant, _ clock: any SensorClock, _ domain: ClockDomain
    ) -> Int64 {
        guard let sample = clock.sample(domain) else { return instant.nanoseconds }
        return sample.time.nanoseconds - instant.duration(to: sample.boottime).wholeNanoseconds
    }

    /// The beginning of a picture of the camera's own: its number, lowest byte first.
    private func picture(_ number: UInt32) -> [UInt8] {
        let digits = (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        guard format.bytesPerLine == 0 else { return digits }
        // SOI, a comment with the number, a scan of nothing, EOI.
        return [0xff, 0xd8, 0xff, 0xfe, 0, 6] + digits.map { $0 & 0x7f }
            + [0xff, 0xda, 0, 2, 0x55, 0xff, 0xd9]
    }

    private func pictureLength(_ written: Int) -> Int {
        if format.bytesPerLine == 0 { return written }
        return format.imageSize - (camera.padsLastRow ? 0 : camera.padding)
    }
}

/// Memory of a scripted camera's buffer.
final class SpyMemory: Sendable {
    /// Written by the driver's side only, under the lock of the spy, while the buffer is queued.
    nonisolated(unsafe) private let memory: UnsafeMutableRawBufferPointer

    init(_ length: Int) {
        memory = .allocate(byteCount: max(1, length), alignment: 64)
        if let start = memory.baseAddress { memset(start, 0xee, memory.count) }
    }

    deinit { memory.deallocate() }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(memory) }

    /// Writes as much of `bytes` as there is room for.
    ///
    /// - Returns: how many bytes those are.
    func write(_ bytes: [UInt8]) -> Int {
        let count = min(bytes.count, memory.count)
        memory.copyBytes(from: bytes.prefix(count))
        return count
    }
}

/// A mapping of that memory, which the spy counts.
final class SpyMapping: V4L2Memory {
    private let memory: SpyMemory
    private let length: Int
    private let spy: V4L2LinkSpy

    init(_ memory: SpyMemory, length: Int, _ spy: V4L2LinkSpy) {
        self.memory = memory
        self.length = length
        self.spy = spy
        spy.state.withLock { $0.mappedCount += 1 }
    }

    deinit { spy.state.withLock { $0.mappedCount -= 1 } }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory.bytes[..<length]) }
}
