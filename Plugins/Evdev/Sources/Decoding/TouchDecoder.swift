import Sensorium

/// Makes touches of an input device's events: pure, and without allocating once it is warm.
///
/// ```swift
/// var decoder = TouchDecoder(layout)
/// switch decoder.take(event) {
/// case .frame: decoder.stamp(time); deliver(decoder.readings); decoder.clear()
/// case .mustResync: decoder.resync(to: state)
/// case .more: break
/// }
/// ```
///
/// ## What it makes of a screen's events
/// - Only what changes is told: a contact keeps what it had, and a slot keeps it for the next contact.
/// - A palm ends its touch as cancelled, and is nothing until it is lifted.
/// - A touch whose end was lost is cancelled.
/// - A contact whose place is not known yet begins when it is.
package struct TouchDecoder: Sendable {
    /// What is known of a contact.
    struct Contact: Sendable {
        var trackingID: Int32 = -1
        /// The number of its touch; 0 where it is none yet, or no more.
        var touch = 0
        var x: Int32 = 0
        var y: Int32 = 0
        var pressure: Int32 = 0
        var tool: Int32 = 0
        /// Whether x and y were ever told.
        var hasX = false
        var hasY = false
        /// Whether it changed in this frame.
        var isChanged = false
        /// Whether it turned out to be a palm.
        var isPalm = false
        /// Whether it is one that was there in the last frame.
        var isMatched = false
    }

    let layout: TouchLayout
    let transform: TouchTransform
    private let pressureStart: Double
    private let pressureSpan: Double
    var contacts: [Contact]
    /// The slot that events are about; negative while they are about one that cannot be.
    private var current = 0
    /// The number of the touch that began last.
    package private(set) var lastTouch: Int
    /// Whether events were lost, and what comes until the end of the frame is not to be believed.
    private var isSkipping = false
    /// Whether this frame changed a contact.
    private var isChanged = false
    /// The readings of the frame, and where each contact of a list is.
    var list: [Contact] = []
    var listed = Contact()
    /// Whether this frame listed anything, or said that nothing touches.
    var hasList = false
    var pairs: [Pair] = []
    /// Whether the screen's one contact is a pen.
    private var isPen = false
    private var tracked: Int32 = 0

    /// The readings of the last frame, in order; their times are not known before `stamp`.
    package private(set) var readings: [TouchEvent] = []
    /// How many events made no sense since the last `clear`.
    package private(set) var nonsense = 0

    static let palm: Int32 = 2
    static let pen: Int32 = 1

    /// Makes a decoder of a screen that nothing touches.
    ///
    /// - Parameter lastTouch: the number of the touch that began last, in the same session.
    package init(
        _ layout: TouchLayout, _ matrix: TouchTransform.Matrix = .identity, after lastTouch: Int = 0
    ) {
        self.lastTouch = lastTouch
        self.layout = layout
        transform = TouchTransform(layout, matrix)
        pressureStart = Double(layout.pressure?.minimum ?? 0)
        pressureSpan = layout.pressure?.span ?? 0
        switch layout.style {
        case .slots(let count):
            contacts = Array(repeating: Contact(), count: max(1, min(count, TouchLayout.mostSlots)))
        case .single: contacts = [Contact()]
        case .lists:
            contacts = []
            contacts.reserveCapacity(TouchLayout.mostSlots)
            list.reserveCapacity(TouchLayout.mostSlots)
        }
        readings.reserveCapacity(2 * TouchLayout.mostSlots)
    }

    /// How many touches are down.
    package var touchCount: Int { contacts.count { $0.touch != 0 } }

    // MARK: Events

    /// Takes an event.
    @inline(__always)
    package mutating func take(_ event: InputEvent) -> DecodingStep {
        switch event.type {
        case InputCode.absolute:
            if !isSkipping { takeAxis(event.code, event.value) }
        case InputCode.key:
            if !isSkipping { takeButton(event.code, event.value) }
        case InputCode.sync:
            switch event.code {
            case InputCode.report:
                if isSkipping {
                    isSkipping = false
                    return .mustResync
                }
                endFrame()
                return .frame
            case InputCode.contactReport:
                if !isSkipping, layout.style == .lists { endListed() }
            case InputCode.dropped:
                // What this frame changed so far is in the state that comes, too.
                isSkipping = true
            default: break
            }
        default: break
        }
        return .more
    }

    private mutating func takeAxis(_ code: UInt16, _ value: Int32) {
        switch layout.style {
        case .slots: takeSlotAxis(code, value)
        case .lists: takeListedAxis(code, value)
        case .single:
            switch code {
            case InputCode.x: contacts[0].moveX(value)
            case InputCode.y: contacts[0].moveY(value)
            case InputCode.pressure: contacts[0].press(value)
            default: return
            }
            isChanged = true
        }
    }

    private mutating func takeSlotAxis(_ code: UInt16, _ value: Int32) {
        if code == InputCode.slot {
            current = contacts.indices.contains(Int(value)) ? Int(value) : -1
            if current < 0 { noteNonsense() }
            return
        }
        guard current >= 0 else { return }
        switch code {
        case InputCode.contactX: contacts[current].moveX(value)
        case InputCode.contactY: contacts[current].moveY(value)
        case InputCode.contactPressure: contacts[current].press(value)
        case InputCode.contactTool:
            contacts[current].tool = value
            contacts[current].isChanged = true
        case InputCode.trackingID: track(value)
        default: return
        }
        isChanged = true
    }

    private mutating func track(_ id: Int32) {
        let old = contacts[current].trackingID
        if old == id { return }
        // The end of one and the start of another may come in one frame.
        if old >= 0 { lift(current, lost: false) }
        contacts[current].trackingID = id
        contacts[current].isPalm = false
        contacts[current].isChanged = true
    }

    private mutating func takeButton(_ code: UInt16, _ value: Int32) {
        if code == InputCode.penTool { isPen = value != 0 }
        guard code == InputCode.touch else { return }
        switch layout.style {
        case .slots: break
        case .lists: if value == 0 { hasList = true }
        case .single:
            if value == 0 {
                if contacts[0].trackingID >= 0 { lift(0, lost: false) }
                contacts[0].trackingID = -1
            } else if contacts[0].trackingID < 0 {
                tracked = tracked == .max ? 0 : tracked + 1
                contacts[0].trackingID = tracked
                contacts[0].isPalm = false
            }
            contacts[0].isChanged = true
            isChanged = true
        }
    }

    // MARK: Frames

    private mutating func endFrame() {
        if layout.style == .lists { endList() }
        guard isChanged else { return }
        isChanged = false
        for place in contacts.indices where contacts[place].isChanged { tell(place) }
    }

    /// Makes readings of what a frame changed of a contact.
    mutating func tell(_ place: Int) {
        contacts[place].isChanged = false
        guard contacts[place].trackingID >= 0 || layout.style == .lists, !contacts[place].isPalm
        else { return }
        if layout.style == .single { contacts[place].tool = isPen ? Self.pen : 0 }
        if contacts[place].tool == Self.palm {
            if contacts[place].touch != 0 { add(.cancelled, place) }
            contacts[place].touch = 0
            contacts[place].isPalm = true
        } else if contacts[place].touch != 0 {
            add(.moved, place)
        } else if contacts[place].isPlaced {
            begin(place)
        }
    }

    private mutating func begin(_ place: Int) {
        lastTouch += 1
        contacts[place].touch = lastTouch
        add(.began, place)
    }

    /// Ends the touch of a contact; one of less than a frame begins and ends.
    mutating func lift(_ place: Int, lost: Bool) {
        let isPalm = contacts[place].isPalm || contacts[place].tool == Self.palm
        if contacts[place].touch == 0, !isPalm, !lost, contacts[place].isPlaced { begin(place) }
        if contacts[place].touch != 0 { add(lost || isPalm ? .cancelled : .ended, place) }
        contacts[place].touch = 0
        contacts[place].isPalm = false
    }

    private mutating func add(_ phase: TouchEvent.Phase, _ place: Int) {
        let contact = contacts[place]
        let point = transform.place(contact.x, contact.y)
        var pressure: Double?
        if pressureSpan != 0 {
            pressure = min(max((Double(contact.pressure) - pressureStart) / pressureSpan, 0), 1)
        }
        readings.append(
            TouchEvent(
                time: Self.noTime, phase: phase, touch: contact.touch, x: point.x, y: point.y,
                xMillimetres: transform.size.map { point.x * $0.width },
                yMillimetres: transform.size.map { point.y * $0.height }, pressure: pressure,
                tool: contact.tool == Self.pen ? .pen : .finger, endsFrame: false,
                flags: point.isCut ? .saturated : []))
    }

    private static let noTime = ReadingTime(SensorInstant(nanoseconds: 0))

    /// Counts an event that made no sense.
    mutating func noteNonsense() { nonsense += 1 }

    // MARK: Readings

    /// Gives the readings that wait a time, and marks the last one.
    package mutating func stamp(_ time: ReadingTime) {
        for place in readings.indices { readings[place].time = time }
        if !readings.isEmpty { readings[readings.count - 1].endsFrame = true }
    }

    /// Forgets the readings, which were delivered.
    @inline(__always)
    package mutating func clear() {
        readings.removeAll(keepingCapacity: true)
        nonsense = 0
    }

    // MARK: Beginning, and beginning anew

    /// Takes what the kernel says is true now; readings of what that changes wait.
    ///
    /// A touch that is not there any more, or is another one, is cancelled.
    package mutating func resync(to state: InputState) {
        isSkipping = false
        isPen = state.keys.contains(InputCode.penTool)
        switch layout.style {
        case .slots:
            for place in contacts.indices { resync(place, to: slot(place, of: state)) }
            current = contacts.indices.contains(state.currentSlot) ? state.currentSlot : -1
        case .single:
            var slot = InputState.Slot()
            slot.x = state.axes[InputCode.x] ?? contacts[0].x
            slot.y = state.axes[InputCode.y] ?? contacts[0].y
            slot.pressure = state.axes[InputCode.pressure] ?? 0
            // Whether it was lifted meanwhile cannot be told: it goes on.
            let isDown = state.keys.contains(InputCode.touch)
            if isDown, contacts[0].trackingID < 0 { tracked = tracked == .max ? 0 : tracked + 1 }
            slot.trackingID = isDown ? tracked : -1
            resync(0, to: slot)
        case .lists:
            // The next frame lists them again.
            listed = Contact()
            list.removeAll(keepingCapacity: true)
            hasList = false
            for place in contacts.indices { lift(place, lost: true) }
            contacts.removeAll(keepingCapacity: true)
        }
        isChanged = false
    }

    private func slot(_ place: Int, of state: InputState) -> InputState.Slot {
        state.slots.indices.contains(place) ? state.slots[place] : InputState.Slot()
    }

    private mutating func resync(_ place: Int, to slot: InputState.Slot) {
        if contacts[place].trackingID != slot.trackingID {
            if contacts[place].trackingID >= 0 { lift(place, lost: true) }
            contacts[place].trackingID = max(-1, slot.trackingID)
            contacts[place].isPalm = false
            contacts[place].isChanged = true
        }
        if contacts[place].x != slot.x || !contacts[place].hasX { contacts[place].moveX(slot.x) }
        if contacts[place].y != slot.y || !contacts[place].hasY { contacts[place].moveY(slot.y) }
        if contacts[place].pressure != slot.pressure { contacts[place].press(slot.pressure) }
        if contacts[place].tool != slot.tool, layout.style != .single {
            contacts[place].tool = slot.tool
            contacts[place].isChanged = true
        }
        if contacts[place].isChanged { tell(place) }
    }

    /// Cancels every touch: the device is gone, or will be read anew.
    package mutating func cancelAll() {
        for place in contacts.indices {
            if contacts[place].touch != 0 { lift(place, lost: true) }
            contacts[place].trackingID = -1
            contacts[place].isChanged = false
        }
        if layout.style == .lists { contacts.removeAll(keepingCapacity: true) }
    }
}

extension TouchDecoder.Contact {
    /// Whether its place is known.
    var isPlaced: Bool { hasX && hasY }

    @inline(__always)
    mutating func moveX(_ value: Int32) {
        x = value
        hasX = true
        isChanged = true
    }

    @inline(__always)
    mutating func moveY(_ value: Int32) {
        y = value
        hasY = true
        isChanged = true
    }

    @inline(__always)
    mutating func press(_ value: Int32) {
        pressure = value
        isChanged = true
    }
}
