import EvdevPlugin
import Sensorium

/// Events, by the names that the kernel's documentation gives them.
extension InputEvent {
    static func slot(_ value: Int32) -> InputEvent { .init(3, 0x2f, value) }
    static func id(_ value: Int32) -> InputEvent { .init(3, 0x39, value) }
    static func x(_ value: Int32) -> InputEvent { .init(3, 0x35, value) }
    static func y(_ value: Int32) -> InputEvent { .init(3, 0x36, value) }
    static func tool(_ value: Int32) -> InputEvent { .init(3, 0x37, value) }
    static func pressure(_ value: Int32) -> InputEvent { .init(3, 0x3a, value) }
    static func singleX(_ value: Int32) -> InputEvent { .init(3, 0x00, value) }
    static func singleY(_ value: Int32) -> InputEvent { .init(3, 0x01, value) }
    static func button(_ value: Int32) -> InputEvent { .init(1, 0x14a, value) }
    static func pen(_ value: Int32) -> InputEvent { .init(1, 0x140, value) }
    static func key(_ code: UInt16, _ value: Int32) -> InputEvent { .init(1, code, value) }
    static var contact: InputEvent { .init(0, 2, 0) }
    static var report: InputEvent { .init(0, 0, 0) }
    static var dropped: InputEvent { .init(0, 3, 0) }
}

/// A decoder under test, and what it has said.
struct Screen {
    var decoder: TouchDecoder
    /// The events as words: `began 1 (10000, 10000)`, in raw units.
    var told: [String] = []
    var events: [TouchEvent] = []
    let layout: TouchLayout
    /// What the kernel answers when it is asked what is true now.
    var state = InputState()
    var nonsense = 0
    private var frame: Int64 = 0

    init(
        _ style: TouchLayout.Style = .slots(10), max: Int32 = 65535, pressure: AxisRange? = nil,
        _ matrix: TouchTransform.Matrix = .identity
    ) {
        layout = TouchLayout(
            style, x: AxisRange(0, max), y: AxisRange(0, max), pressure: pressure)
        decoder = TouchDecoder(layout, matrix)
    }

    mutating func play(_ events: InputEvent...) { play(events) }

    mutating func play(_ events: [InputEvent]) {
        for event in events {
            switch decoder.take(event) {
            case .more: break
            case .frame: hear()
            case .mustResync:
                decoder.resync(to: state)
                hear()
            }
        }
    }

    mutating func resync(_ state: InputState) {
        decoder.resync(to: state)
        hear()
    }

    mutating func hear() {
        frame += 1
        decoder.stamp(ReadingTime(SensorInstant(nanoseconds: frame)))
        nonsense += decoder.nonsense
        for event in decoder.readings {
            events.append(event)
            let x = Int((event.x * layout.x.span).rounded()) + Int(layout.x.minimum)
            let y = Int((event.y * layout.y.span).rounded()) + Int(layout.y.minimum)
            told.append("\(event.phase) \(event.touch) (\(x), \(y))")
        }
        decoder.clear()
    }

    /// What was said since the last time.
    mutating func news() -> [String] {
        defer { told = [] }
        return told
    }
}
