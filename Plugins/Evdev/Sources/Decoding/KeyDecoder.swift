import Sensorium

/// Makes key events of an input device's events.
///
/// A key that was held when reading began is nothing until it is pressed again.
package struct KeyDecoder: Sendable {
    /// Which keys are told.
    package enum Choice: Hashable, Sendable {
        /// Those of a remote control: `RemoteKey`.
        case media
        /// All that a keyboard has.
        case all

        /// Whether a key is told.
        package func includes(_ code: UInt16) -> Bool {
            switch self {
            case .media: RemoteKey(rawValue: code) != nil
            // The numbers from BTN_MISC to the end of BTN_GEAR_UP are buttons of other devices.
            case .all: (1..<0x100).contains(code) || (0x160..<0x2c0).contains(code)
            }
        }
    }

    private let choice: Choice
    /// The keys that are down and were told.
    private var down: Set<UInt16> = []
    private var isSkipping = false
    /// The readings of the last frame, in order; their times are not known before `stamp`.
    package private(set) var readings: [KeyEvent] = []
    /// How many events made no sense since the last `clear`.
    package private(set) var nonsense = 0

    /// Makes a decoder of a device with no key down.
    package init(_ choice: Choice = .media) {
        self.choice = choice
        readings.reserveCapacity(16)
    }

    /// Takes an event.
    package mutating func take(_ event: InputEvent) -> DecodingStep {
        switch (event.type, event.code) {
        case (InputCode.sync, InputCode.report):
            if isSkipping {
                isSkipping = false
                return .mustResync
            }
            return .frame
        case (InputCode.sync, InputCode.dropped):
            isSkipping = true
        case (InputCode.key, let code):
            if !isSkipping, choice.includes(code) { takeKey(code, event.value) }
        default: break
        }
        return .more
    }

    private mutating func takeKey(_ code: UInt16, _ value: Int32) {
        switch value {
        case 0: if down.remove(code) != nil { add(code, .released) }
        case 1: if down.insert(code).inserted { add(code, .pressed) }
        case 2: if down.contains(code) { add(code, .repeated) }
        default: nonsense += 1
        }
    }

    private mutating func add(_ code: UInt16, _ phase: KeyEvent.Phase) {
        readings.append(
            KeyEvent(
                time: ReadingTime(SensorInstant(nanoseconds: 0)), code: code, phase: phase))
    }

    /// Takes what the kernel says is true now: a key whose release was lost is released.
    package mutating func resync(to state: InputState) {
        isSkipping = false
        release { !state.keys.contains($0) }
    }

    /// Releases every key: the device is gone.
    package mutating func cancelAll() { release { _ in true } }

    private mutating func release(_ isUp: (UInt16) -> Bool) {
        for code in down.filter(isUp).sorted() {
            down.remove(code)
            add(code, .released)
        }
    }

    /// Gives the readings that wait a time.
    package mutating func stamp(_ time: ReadingTime) {
        for place in readings.indices { readings[place].time = time }
    }

    /// Forgets the readings, which were delivered.
    package mutating func clear() {
        readings.removeAll(keepingCapacity: true)
        nonsense = 0
    }
}
