import Sensorium

/// Where the readings of a device go.
package protocol FrameOutlet: Sendable {
    associatedtype Reading: SensorReading
    /// Takes the readings of one frame.
    func deliver(_ readings: Span<Reading>)
    /// Counts what was lost.
    func lose(_ count: Int, _ reason: ReadingLoss.Reason)
}

/// Moves events of an opened device through its decoder to the consumer, frame by frame.
package struct FramePump<Decoder: InputDecoder, Outlet: FrameOutlet>
where Outlet.Reading == Decoder.Reading {
    /// The decoder, and what it knows of the device.
    package private(set) var decoder: Decoder
    private var clock: EventClock
    private let outlet: Outlet

    /// Makes a pump.
    package init(_ decoder: Decoder, _ clock: EventClock, _ outlet: Outlet) {
        self.decoder = decoder
        self.clock = clock
        self.outlet = outlet
    }

    /// Why the device's stamps were not believed; nil as long as they are.
    package var doubt: String? { clock.doubt }

    /// Takes events that were read at `arrival`.
    ///
    /// - Returns: the stamp of the place where the kernel has lost events, where that is at their end:
    ///   what is true must be asked then, and given to `resync`.
    @inline(__always)
    package mutating func take(_ events: [InputEvent], arrival: SensorInstant) -> Int64? {
        for event in events {
            switch decoder.take(event) {
            case .more: continue
            case .frame: deliver(clock.time(of: event.stamp, arrival: arrival))
            case .mustResync: return event.stamp
            }
        }
        return nil
    }

    /// Goes on after a loss, which happened at `stamp`.
    ///
    /// How many frames were lost, the kernel does not say: they count as one.
    package mutating func resync(
        to state: InputState, lossAt stamp: Int64, arrival: SensorInstant
    ) {
        outlet.lose(1, .device)
        decoder.resync(to: state)
        deliver(clock.time(of: stamp, arrival: arrival))
    }

    /// Begins with what is true when the device was opened.
    package mutating func begin(with state: InputState, now: SensorInstant) {
        decoder.resync(to: state)
        deliver(clock.time(at: now))
    }

    /// Ends all that is under way.
    package mutating func cancelAll(now: SensorInstant) {
        decoder.cancelAll()
        deliver(clock.time(at: now))
    }

    @inline(__always)
    private mutating func deliver(_ time: ReadingTime) {
        if decoder.nonsense > 0 { outlet.lose(decoder.nonsense, .malformed) }
        if !decoder.readings.isEmpty {
            decoder.stamp(time)
            outlet.deliver(decoder.readings.span)
        }
        decoder.clear()
    }
}
