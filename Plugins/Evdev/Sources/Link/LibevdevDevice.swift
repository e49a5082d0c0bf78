#if Evdev
import CEvdev
import Glibc
import Sensorium

/// An open node, behind libevdev, which follows its state.
///
/// Calls come one at a time from the session's thread; `interrupt` comes from anywhere.
final class LibevdevDevice: EvdevDevice {
    private struct Ends {
        /// The library's object; nil once it is closed.
        var device: UInt?
        var file: Int32
        var wake: Int32
        /// Whether the library may hold events that the kernel no longer has.
        var mayHoldEvents = false
    }

    let clockDomain: ClockDomain
    private let path: String
    private let ends: Guarded<Ends>

    /// How many events one read takes at most, so that a flood does not keep the session from others.
    private static let mostEvents = 1024

    /// Takes over the two files.
    init(path: String, file: Int32, wake: Int32) throws(EvdevFault) {
        self.path = path
        let device = libevdev_new()
        var status = device == nil ? -ENOMEM : 0
        if let device {
            cevdev_silence(device)
            status = libevdev_set_fd(device, file)
        }
        // A mocked device does not know that call; its stamps are then those of the kernel's default.
        let isBoottime =
            status == 0 && libevdev_set_clock_id(device, Int32(CLOCK_BOOTTIME)) == 0
        clockDomain = isBoottime ? .boottime : .realtime
        ends = Guarded(
            Ends(device: device.map { UInt(bitPattern: $0) }, file: file, wake: wake))
        if status < 0 { throw EvdevFault(errno: status, doing: "asking \(path) what it is") }
    }

    deinit { closeEnds() }

    private func withDevice<Result>(
        _ what: @autoclosure () -> String,
        _ body: (OpaquePointer, inout Bool) throws(EvdevFault) -> sending Result
    ) throws(EvdevFault) -> sending Result {
        let ends = ends.withLock { $0 }
        guard let device = ends.device.flatMap({ OpaquePointer(bitPattern: $0) }) else {
            throw EvdevFault(errno: EBADF, doing: what())
        }
        var mayHoldEvents = ends.mayHoldEvents
        let result = try body(device, &mayHoldEvents)
        self.ends.withLock { $0.mayHoldEvents = mayHoldEvents }
        return result
    }

    // MARK: What it says

    func capabilities() async throws(EvdevFault) -> InputCapabilities {
        try withDevice("asking \(path) what it can do") { (device, _) throws(EvdevFault) in
            var capabilities = InputCapabilities()
            for code in InputCode.axes {
                guard
                    libevdev_has_event_code(device, UInt32(InputCode.absolute), UInt32(code)) == 1,
                    let axis = libevdev_get_abs_info(device, UInt32(code))?.pointee
                else { continue }
                capabilities.axes[code] = AxisRange(
                    axis.minimum, axis.maximum, resolution: axis.resolution)
            }
            capabilities.keys = Self.keys(of: device)
            return capabilities
        }
    }

    private static func keys(
        of device: OpaquePointer, where isWanted: (UInt32) -> Bool = { _ in true }
    ) -> Set<UInt16> {
        let type = UInt32(InputCode.key)
        return Set(
            (0..<UInt16(KEY_CNT)).filter { code in
                libevdev_has_event_code(device, type, UInt32(code)) == 1 && isWanted(UInt32(code))
            })
    }

    func state() async throws(EvdevFault) -> InputState {
        try withDevice("asking \(path) for its state") { (device, _) throws(EvdevFault) in
            var state = InputState()
            for slot in 0..<max(0, min(libevdev_get_num_slots(device), 64)) {
                func value(_ code: UInt16) -> Int32 {
                    libevdev_get_slot_value(device, UInt32(slot), UInt32(code))
                }
                state.slots.append(
                    InputState.Slot(
                        trackingID: value(InputCode.trackingID), x: value(InputCode.contactX),
                        y: value(InputCode.contactY), pressure: value(InputCode.contactPressure),
                        tool: value(InputCode.contactTool)))
            }
            state.currentSlot = Int(max(0, libevdev_get_current_slot(device)))
            for code in [InputCode.x, InputCode.y, InputCode.pressure] {
                var value: Int32 = 0
                let isThere = libevdev_fetch_event_value(
                    device, UInt32(InputCode.absolute), UInt32(code), &value)
                if isThere == 1 { state.axes[code] = value }
            }
            state.keys = Self.keys(of: device) { code in
                libevdev_get_event_value(device, UInt32(InputCode.key), code) != 0
            }
            return state
        }
    }

    // MARK: Events

    func wait() async throws(EvdevFault) -> EvdevSignal {
        let ends = ends.withLock { $0 }
        var files = [
            pollfd(fd: ends.file, events: Int16(POLLIN), revents: 0),
            pollfd(fd: ends.wake, events: Int16(POLLIN), revents: 0),
        ]
        let count = poll(&files, 2, ends.mayHoldEvents ? 0 : -1)
        if count < 0 {
            if errno == EINTR { return .interrupted }
            throw EvdevFault(errno: errno, doing: "waiting for events of \(path)")
        }
        if files[1].revents != 0 {
            var value: UInt64 = 0
            _ = Glibc.read(ends.wake, &value, 8)
            return .interrupted
        }
        return .ready
    }

    func read(into events: inout [InputEvent]) async throws(EvdevFault) {
        try withDevice("reading \(path)") { (device, mayHoldEvents) throws(EvdevFault) in
            let normal = UInt32(LIBEVDEV_READ_FLAG_NORMAL.rawValue)
            let most = events.count + Self.mostEvents
            mayHoldEvents = true
            while events.count < most {
                var event = input_event()
                let status = libevdev_next_event(device, normal, &event)
                if status == LIBEVDEV_READ_STATUS_SUCCESS.rawValue {
                    events.append(InputEvent(event))
                } else if status == LIBEVDEV_READ_STATUS_SYNC.rawValue {
                    try self.catchUp(device)
                    // The frame was lost: whoever reads asks for the state, which is true from here on.
                    let stamp = InputEvent(event).stamp
                    events.append(InputEvent(InputCode.sync, InputCode.dropped, 0, stamp: stamp))
                    events.append(InputEvent(InputCode.sync, InputCode.report, 0, stamp: stamp))
                    return
                } else if status == -EAGAIN || status == -EINTR {
                    mayHoldEvents = false
                    return
                } else {
                    throw EvdevFault(errno: status, doing: "reading \(self.path)")
                }
            }
        }
    }

    /// Lets the library find out what has changed while events were lost.
    private func catchUp(_ device: OpaquePointer) throws(EvdevFault) {
        let sync = UInt32(LIBEVDEV_READ_FLAG_SYNC.rawValue)
        var event = input_event()
        while true {
            let status = libevdev_next_event(device, sync, &event)
            if status == LIBEVDEV_READ_STATUS_SYNC.rawValue { continue }
            if status == -EAGAIN || status == LIBEVDEV_READ_STATUS_SUCCESS.rawValue { return }
            throw EvdevFault(errno: status, doing: "asking \(path) what was lost")
        }
    }

    func interrupt() {
        // Under the lock, so that the descriptor cannot be somebody else's by now.
        ends.withLock { ends in
            var one: UInt64 = 1
            if ends.wake >= 0 { _ = write(ends.wake, &one, 8) }
        }
    }

    func close() async { closeEnds() }

    private func closeEnds() {
        let old = ends.withLock { ends in
            defer { ends = Ends(device: nil, file: -1, wake: -1) }
            return ends
        }
        if let device = old.device { libevdev_free(OpaquePointer(bitPattern: device)) }
        for file in [old.file, old.wake] where file >= 0 { Glibc.close(file) }
    }
}

extension InputEvent {
    /// Takes an event of the kernel.
    fileprivate init(_ event: input_event) {
        let seconds = Int64(event.time.tv_sec)
        let microseconds = Int64(event.time.tv_usec)
        self.init(
            event.type, event.code, event.value,
            stamp: seconds &* 1_000_000_000 &+ microseconds &* 1000)
    }
}
#endif
