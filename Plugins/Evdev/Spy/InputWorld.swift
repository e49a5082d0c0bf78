import EvdevPlugin
import Sensorium
import SensoriumTestKit

/// A scripted device at work: the kernel's side of its events.
///
/// The lock of the spy's `state` guards it.
struct InputWorld {
    /// What the kernel keeps for one who has the node open.
    struct Reader {
        let signal: SpySignal
        var queue: [InputEvent] = []
        /// Whether events were lost since the last read.
        var hasLost = false
    }

    /// As many events as the kernel keeps for a screen of ten fingers.
    static let queueSize = 1024

    var input: ScriptedInput
    var state: InputState
    var readers: [Int: Reader] = [:]
    var stalledUntil: SensorInstant?
    /// How many frames a fault loses, and how many it spoils.
    var toDrop = 0
    var toSpoil = 0
    private var start: SensorInstant?
    private var produced = 0
    private var nextID: Int32 = 0

    init(_ input: ScriptedInput) {
        self.input = input
        state = InputState()
        if let slots = input.capabilities.axes[InputCode.slot] {
            state.slots = Array(repeating: .init(), count: Int(max(0, slots.maximum)) + 1)
        }
    }

    // MARK: Frames

    /// Takes a frame of the device, without its end.
    mutating func take(_ events: [InputEvent], at now: SensorInstant) {
        if let until = stalledUntil {
            if now < until { return }
            stalledUntil = nil
        }
        var events = events
        if toSpoil > 0 {
            toSpoil -= 1
            // A slot that the device does not have, or a state that no key is in.
            events =
                (state.slots.isEmpty
                    ? [InputEvent(InputCode.key, RemoteKey.playPause.rawValue, 7)]
                    : [InputEvent(InputCode.absolute, InputCode.slot, 4711)]) + events
        }
        let isLost = toDrop > 0
        if isLost { toDrop -= 1 }
        events.append(InputEvent(InputCode.sync, InputCode.report, 0))
        for place in events.indices { events[place].stamp = now.nanoseconds }
        for event in events { follow(event) }
        for reader in readers.keys { readers[reader]?.take(events, isLost: isLost) }
    }

    /// Keeps the state that the kernel would tell.
    private mutating func follow(_ event: InputEvent) {
        switch event.type {
        case InputCode.key:
            if event.value == 0 { state.keys.remove(event.code) }
            if event.value == 1 { state.keys.insert(event.code) }
        case InputCode.absolute:
            if event.code == InputCode.slot {
                if state.slots.indices.contains(Int(event.value)) {
                    state.currentSlot = Int(event.value)
                }
                return
            }
            guard state.slots.indices.contains(state.currentSlot) else {
                state.axes[event.code] = event.value
                return
            }
            let slot = state.currentSlot
            switch event.code {
            case InputCode.trackingID: state.slots[slot].trackingID = event.value
            case InputCode.contactX: state.slots[slot].x = event.value
            case InputCode.contactY: state.slots[slot].y = event.value
            case InputCode.contactPressure: state.slots[slot].pressure = event.value
            case InputCode.contactTool: state.slots[slot].tool = event.value
            default: state.axes[event.code] = event.value
            }
        default: break
        }
    }

    /// The events of a finger that is at a place, or was lifted.
    mutating func finger(_ finger: Int, at place: TouchPoint?) -> [InputEvent] {
        func axis(_ code: UInt16, _ share: Double) -> InputEvent {
            let range = input.capabilities.axes[code] ?? AxisRange(0, 1)
            let value = Double(range.minimum) + share * range.span
            return InputEvent(InputCode.absolute, code, Int32(value.rounded()))
        }
        func set(_ code: UInt16, _ value: Int32) -> InputEvent {
            InputEvent(InputCode.absolute, code, value)
        }
        guard state.slots.indices.contains(finger) else {
            let button = InputEvent(InputCode.key, InputCode.touch, place == nil ? 0 : 1)
            return place.map { [axis(InputCode.x, $0.x), axis(InputCode.y, $0.y)] + [button] }
                ?? [button]
        }
        var events = [set(InputCode.slot, Int32(finger))]
        if let place {
            if state.slots[finger].trackingID < 0 {
                nextID += 1
                events.append(set(InputCode.trackingID, nextID))
            }
            events += [axis(InputCode.contactX, place.x), axis(InputCode.contactY, place.y)]
        } else {
            events.append(set(InputCode.trackingID, -1))
        }
        return events
    }

    // MARK: Feed

    private var period: Duration? {
        guard case .steady(let rate) = input.feed, rate > 0 else { return nil }
        return .nanoseconds(Int64(1e9 / rate))
    }

    /// When the next frame comes by itself; nil where none does.
    var nextDue: SensorInstant? {
        guard let period, let start else { return nil }
        return start.advanced(by: period * (produced + 1))
    }

    /// Makes the frames that are due.
    mutating func produce(at now: SensorInstant) {
        if readers.isEmpty { return }
        let begin = start ?? now
        start = begin
        if case .burst(let count) = input.feed {
            // A hundred frames at a time.
            let end = min(count, produced + 100)
            while produced < end { produceOne(at: now) }
            return
        }
        guard let period, period > .zero else { return }
        while begin.advanced(by: period * (produced + 1)) <= now {
            produceOne(at: begin.advanced(by: period * (produced + 1)))
        }
    }

    private mutating func produceOne(at instant: SensorInstant) {
        produced += 1
        if input.capabilities.axes.isEmpty {
            let key = RemoteKey.playPause.rawValue
            let value: Int32 = state.keys.contains(key) ? 0 : 1
            take([InputEvent(InputCode.key, key, value)], at: instant)
            return
        }
        let step = Double(produced % 100) / 100
        take(finger(0, at: TouchPoint(x: step, y: 1 - step)), at: instant)
    }
}

extension InputWorld.Reader {
    fileprivate mutating func take(_ events: [InputEvent], isLost: Bool) {
        if isLost || queue.count + events.count > InputWorld.queueSize {
            hasLost = true
            queue.removeAll()
        } else if !hasLost {
            queue += events
        }
        signal.wake()
    }
}
