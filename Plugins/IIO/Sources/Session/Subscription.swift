import Sensorium
import SensoriumPluginKit

/// One consumer of a device, as the device's reader sees it: a part, a request, and a way out.
protocol ReaderConsumer: AnyObject, Sendable {
    /// What it wants of the device.
    var part: SensedPart { get }
    /// How it wants it.
    var request: SamplingRequest { get }
    /// Whether an open was answered already.
    var isAnswered: Bool { get }
    /// Prepares for scans whose elements are at known places.
    func prepare(_ resolution: PartResolution, elements: [ElementReader], capacity: Int)
    /// Prepares for polled numbers.
    func prepare(_ resolution: PartResolution)
    /// Tells how fast it is read, and that only every `divisor`th scan is for it.
    func grant(_ rate: Double?, divisor: Int)
    /// Takes the scans of a refill.
    func take(_ bytes: UnsafeRawBufferPointer, step: Int, stamps: ScanStamps)
    /// Takes numbers, in the kernel's unit.
    func take(_ numbers: [Double], time: ReadingTime, isCut: Bool)
    /// Tells how the device does.
    func report(_ status: SensorStatus)
    /// Tells that readings are missing.
    func lose(_ count: Int, _ reason: ReadingLoss.Reason)
    /// Tells that the device gave no scan for so many turns.
    func miss(scans: Int)
    /// Tells why it cannot be opened.
    func refuse(_ fault: IIOFault)
    /// Ends it.
    func finish(_ fault: IIOFault?)
}

/// A sensor's open session: decodes what the device's reader brings, and delivers it.
final class Subscription<Reading: SensorReading>: ReaderConsumer {
    private struct State {
        var request: SamplingRequest
        var isClosed = false
        var grantedRate: Double?
        var divisor = 1
        var phase = 0
        var resolution: PartResolution?
        var decoder: PartDecoding<Reading>.ScanDecoder?
    }

    let id: SensorID
    let part: SensedPart
    /// Nil once the reader reads, or the reason why it cannot.
    let answer = Answer<IIOFault?>()
    private let decoding: PartDecoding<Reading>
    private let sink: ReadingSink<Reading>
    private let state: Guarded<State>
    private let readings = ReadingBuffer<Reading>()

    init(
        _ id: SensorID, _ part: SensedPart, _ decoding: PartDecoding<Reading>,
        _ request: SamplingRequest, _ sink: ReadingSink<Reading>
    ) {
        self.id = id
        self.part = part
        self.decoding = decoding
        self.sink = sink
        state = Guarded(State(request: request))
    }

    var request: SamplingRequest {
        get { state.withLock { $0.request } }
        set { state.withLock { $0.request = newValue } }
    }

    var grantedRate: Double? { state.withLock { $0.grantedRate } }

    var isAnswered: Bool { answer.value != nil }

    /// Stops delivering: nothing comes after it returns.
    func close() { state.withLock { $0.isClosed = true } }

    func prepare(_ resolution: PartResolution, elements: [ElementReader], capacity: Int) {
        let decoder = decoding.scanDecoder(resolution, elements)
        state.withLock { state in
            state.resolution = resolution
            state.decoder = decoder
            readings.reserve(capacity)
        }
    }

    func prepare(_ resolution: PartResolution) {
        var resolution = resolution
        // A processed number is in its unit whatever the scale.
        if part.isProcessed { resolution.isScaled = true }
        state.withLock { [resolution] state in
            state.resolution = resolution
            state.decoder = nil
        }
    }

    func grant(_ rate: Double?, divisor: Int) {
        state.withLock { state in
            state.grantedRate = rate.map { $0 / Double(divisor) }
            state.divisor = divisor
            state.phase = 0
        }
        answer.give(nil)
    }

    // Sinks are called with the lock held, so that nothing comes after `close`.

    func take(_ bytes: UnsafeRawBufferPointer, step: Int, stamps: ScanStamps) {
        // The decoder keeps none of this memory, which the compiler cannot see.
        nonisolated(unsafe) let bytes = bytes
        nonisolated(unsafe) let stamps = stamps
        state.withLock { state in
            guard !state.isClosed, let decoder = state.decoder else { return }
            let count = stamps.stamps.count
            let readings = readings.reserve(count)
            decoder(bytes, step, stamps, readings)
            var kept = count
            if state.divisor > 1 {
                kept = 0
                for position in 0..<count {
                    if state.phase == 0 {
                        readings[kept] = readings[position]
                        kept += 1
                    }
                    state.phase = (state.phase + 1) % state.divisor
                }
            }
            if kept > 0 { sink.deliver(UnsafeBufferPointer(start: readings, count: kept).span) }
        }
    }

    func take(_ numbers: [Double], time: ReadingTime, isCut: Bool) {
        state.withLock { state in
            guard !state.isClosed, let resolution = state.resolution else { return }
            let flags = isCut ? resolution.flags.union(.saturated) : resolution.flags
            sink.deliver(decoding.reading(time, numbers, resolution, flags))
        }
    }

    func report(_ status: SensorStatus) {
        state.withLock { state in
            if !state.isClosed { sink.report(status) }
        }
    }

    func lose(_ count: Int, _ reason: ReadingLoss.Reason) {
        state.withLock { state in
            if !state.isClosed { sink.lose(count, reason) }
        }
    }

    func miss(scans: Int) {
        let count = scans / state.withLock { $0.divisor }
        if count > 0 { lose(count, .device) }
    }

    func refuse(_ fault: IIOFault) { answer.give(fault) }

    func finish(_ fault: IIOFault?) {
        state.withLock { state in
            if state.isClosed { return }
            state.isClosed = true
            sink.finish(fault.map { SensorError($0, of: id) })
        }
        answer.give(fault)
    }
}

/// Memory for the readings of one refill, kept from refill to refill.
///
/// The lock of the subscription's `state` guards it.
private final class ReadingBuffer<Reading>: @unchecked Sendable {
    private var capacity = 16
    private var start = UnsafeMutablePointer<Reading>.allocate(capacity: 16)

    @discardableResult
    func reserve(_ count: Int) -> UnsafeMutablePointer<Reading> {
        if count > capacity {
            start.deallocate()
            start = .allocate(capacity: count)
            capacity = count
        }
        return start
    }

    deinit { start.deallocate() }
}

extension SensorError {
    /// A fault as an app sees it.
    init(_ fault: IIOFault, of id: SensorID) {
        let reason = fault.reason
        self =
            switch fault.condition {
            case .gone:
                .disconnected(id, reason: reason, hint: "plug the device in, or start iiod again")
            case .busy:
                .busy(
                    id, reason: reason,
                    hint: "end the other program that reads it (iio-sensor-proxy, iiod)")
            case .denied:
                .denied(
                    id, reason: reason,
                    hint: fault.hint
                        ?? "give this user the right to read the device node, by a udev rule")
            case .timedOut:
                .unavailable(id, reason: reason, hint: "check the device's trigger and its rate")
            case .unanswered:
                .unavailable(id, reason: reason, hint: "is iiod still running there?")
            case .cancelled: .cancelled(id)
            case .absent, .failed:
                .unavailable(id, reason: reason, hint: "look at the device with iio_info")
            case .malformed:
                .malformed(id, reason: reason, hint: "look at the device with iio_info")
            case .unsupported:
                .unsupported(id, reason: reason, hint: "look at the device with iio_info")
            }
    }
}
