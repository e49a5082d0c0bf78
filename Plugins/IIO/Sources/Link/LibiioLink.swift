#if IIO
import CIIO
import Glibc
import Sensorium
import SensoriumPluginKit

/// The link over libiio 0.24: with its listing, the only code that calls the library.
struct LibiioLink: IIOLink {
    func makeThread() -> SessionThread? { SessionThread() }

    func connect(to uri: String, timeout: Duration) async throws(IIOFault) -> any IIOContext {
        // libiio writes to the text of an address.
        guard let text = strdup(uri) else { throw IIOFault(.failed, "no memory for \(uri)") }
        defer { free(text) }
        errno = 0
        let timer = CallTimer(limit: Self.connectLimit)
        guard let context = iio_create_context_from_uri(text) else {
            let number = errno
            if number == EINVAL, uri.hasPrefix("local") {
                throw IIOFault(
                    .unsupported,
                    "libiio cannot list this machine's devices: one of them has channel names that it "
                        + "does not understand, and it then refuses all (EINVAL)")
            }
            throw timer.fault(number == 0 ? -Int(ENODEV) : -Int(number), "connecting to \(uri)")
        }
        iio_context_set_timeout(context, UInt32(clamping: timeout.wholeNanoseconds / 1_000_000))
            .discard()
        return LibiioContext(context, limit: timeout)
    }

    func authorization(of device: String) -> AuthorizationStatus {
        DeviceAccess("/dev/\(device)").authorization
    }

    /// libiio's own, which cannot be changed.
    private static var connectLimit: Duration { .seconds(5) }

    func watch(_ changed: @escaping @Sendable () -> Void) -> (any DeviceWatch)? {
        UeventWatch(subsystem: "iio", changed)
    }
}

extension IIO {
    /// Makes the plugin over libiio.
    public convenience init(host: PluginHost) { self.init(host: host, link: LibiioLink()) }
}

/// A context of libiio; calls come one at a time, from the thread of its reader.
final class LibiioContext: IIOContext {
    let content: IIOContextContent
    /// The context's address; nil when it was destroyed.
    private let state: Guarded<UInt?>
    /// How long a call may take.
    private let limit: Guarded<Duration>

    init(_ context: OpaquePointer, limit: Duration) {
        self.limit = Guarded(limit)
        state = Guarded(UInt(bitPattern: context))
        content = Self.list(context)
    }

    deinit { destroy() }

    func close() async { destroy() }

    private func destroy() {
        let context = state.withLock { $0.take() }.flatMap { OpaquePointer(bitPattern: $0) }
        if let context { iio_context_destroy(context) }
    }

    private var timer: CallTimer { CallTimer(limit: limit.withLock { $0 }) }

    // MARK: Attributes

    func read(_ attribute: IIOAttribute) async throws(IIOFault) -> String {
        let device = try find(attribute.device)
        let timer = timer
        // The longest lists of available values take a page.
        return try withUnsafeTemporaryAllocation(of: CChar.self, capacity: 8192) {
            (text) throws(IIOFault) -> String in
            let count =
                if let channel = attribute.channel {
                    iio_channel_attr_read(
                        try find(channel, of: device), attribute.name, text.baseAddress, text.count)
                } else {
                    iio_device_attr_read(device, attribute.name, text.baseAddress, text.count)
                }
            if count < 0 {
                throw fault(timer.fault(count, "reading \(attribute)"), of: attribute.device)
            }
            let bytes = UnsafeRawBufferPointer(text)[..<min(count, text.count)]
            return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    func write(_ text: String, to attribute: IIOAttribute) async throws(IIOFault) {
        let device = try find(attribute.device)
        let timer = timer
        let count =
            if let channel = attribute.channel {
                iio_channel_attr_write(try find(channel, of: device), attribute.name, text)
            } else {
                iio_device_attr_write(device, attribute.name, text)
            }
        if count < 0 {
            throw fault(
                timer.fault(count, "writing \(text) to \(attribute)"), of: attribute.device)
        }
    }

    func trigger(of device: String) async throws(IIOFault) -> String? {
        var trigger: OpaquePointer?
        let timer = timer
        let status = iio_device_get_trigger(try find(device), &trigger)
        // ENODEV of a connection that stands means that no trigger is set.
        if status == -ENODEV { return nil }
        if status < 0 {
            throw timer.fault(Int(status), "asking \(device) for its trigger")
        }
        return trigger.flatMap { iio_device_get_name($0) }.map { String(cString: $0) }
    }

    func setTrigger(_ trigger: String, of device: String) async throws(IIOFault) {
        let timer = timer
        let status = iio_device_set_trigger(try find(device), try find(trigger))
        if status < 0 {
            throw fault(
                timer.fault(Int(status), "giving \(device) the trigger \(trigger)"), of: device)
        }
    }

    // MARK: Buffers

    func openBuffer(_ request: IIOBufferRequest) async throws(IIOFault) -> any IIOBuffer {
        let context = try pointer()
        let device = try find(request.device)
        if content.isLocal { try refuseIfCaptured(request.device) }
        for index in 0..<iio_device_get_channels_count(device) {
            if let channel = iio_device_get_channel(device, index) { iio_channel_disable(channel) }
        }
        var channels: [OpaquePointer] = []
        for id in request.channels {
            let channel = try find(id, of: device)
            iio_channel_enable(channel)
            channels.append(channel)
        }
        // A daemon is told half of the time-out, as the time that it may wait itself.
        let limit = content.isLocal ? request.timeout : request.timeout * 2
        iio_context_set_timeout(context, UInt32(clamping: limit.wholeNanoseconds / 1_000_000))
            .discard()
        self.limit.withLock { $0 = limit }
        // Where it is refused, the library's own number does.
        iio_device_set_kernel_buffers_count(device, UInt32(clamping: request.blocks)).discard()
        var triesLeft = content.isLocal ? 0 : Self.busyTries
        while true {
            errno = 0
            let timer = timer
            if let buffer = iio_device_create_buffer(device, request.scans, false) {
                return LibiioBuffer(buffer, channels, of: request.device, limit: limit)
            }
            let number = errno
            guard number == EBUSY, triesLeft > 0 else {
                throw fault(
                    timer.fault(
                        Int(number == 0 ? EINVAL : number), "capturing \(request.device)"),
                    of: request.device)
            }
            triesLeft -= 1
            poll(nil, 0, Self.busyPause)
        }
    }

    // libiio says no goodbye when it ends a capture, so a daemon learns of it a moment later, by the
    // end of the connection. Until then the device that we have just closed is busy.
    private static var busyTries: Int { 25 }
    /// Milliseconds between two tries; half a second in all.
    private static var busyPause: Int32 { 20 }

    /// Throws when somebody captures the device: libiio switches the capture off before it finds the
    /// device node busy, and so would stop the other one.
    private func refuseIfCaptured(_ device: String) throws(IIOFault) {
        let isOn = SysfsDevice("/sys/bus/iio/devices/\(device)", subsystem: "iio")
            .attribute("buffer/enable")
        guard isOn == "1" else { return }
        let node = open("/dev/\(device)", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        if node >= 0 {
            // Left on by a program that crashed.
            Glibc.close(node)
        } else if errno == EBUSY {
            throw IIOFault(errno: Int(EBUSY), doing: "capturing \(device)")
        }
    }

    /// The fault, with whom the device is for, where it is not for this process.
    private func fault(_ fault: IIOFault, of device: String) -> IIOFault {
        var fault = fault
        if fault.condition == .denied, content.isLocal {
            fault.hint = DeviceAccess("/dev/\(device)").hint
        }
        return fault
    }

    // MARK: Finding

    private func pointer() throws(IIOFault) -> OpaquePointer {
        guard let context = state.withLock({ $0 }).flatMap({ OpaquePointer(bitPattern: $0) }) else {
            throw IIOFault(.gone, "the connection is closed")
        }
        return context
    }

    private func find(_ device: String) throws(IIOFault) -> OpaquePointer {
        guard let found = iio_context_find_device(try pointer(), device) else {
            throw IIOFault(.gone, "there is no device \(device)")
        }
        return found
    }

    private func find(_ channel: String, of device: OpaquePointer) throws(IIOFault) -> OpaquePointer
    {
        guard let found = iio_device_find_channel(device, channel, false) else {
            throw IIOFault(.absent, "there is no channel \(channel)")
        }
        return found
    }
}

/// A capture of libiio.
final class LibiioBuffer: IIOBuffer, @unchecked Sendable {  // `state` guards `buffer`'s end
    private let device: String
    private let channels: [OpaquePointer]
    private let buffer: OpaquePointer
    private let limit: Duration
    private let state = Guarded(false)

    init(
        _ buffer: OpaquePointer, _ channels: [OpaquePointer], of device: String, limit: Duration
    ) {
        self.limit = limit
        self.buffer = buffer
        self.channels = channels
        self.device = device
    }

    deinit { destroy() }

    func refill() async throws(IIOFault) -> IIORefill {
        let timer = CallTimer(limit: limit)
        let count = iio_buffer_refill(buffer)
        if count < 0 { throw timer.fault(count, "capturing \(device)") }
        return IIORefill(
            bytes: UnsafeRawBufferPointer(start: iio_buffer_start(buffer), count: count),
            step: iio_buffer_step(buffer))
    }

    func offset(ofChannel position: Int) -> Int? {
        guard let start = iio_buffer_start(buffer),
            let first = iio_buffer_first(buffer, channels[position])
        else { return nil }
        return first - start
    }

    func cancel() {
        state.withLock { isDestroyed in
            if !isDestroyed { iio_buffer_cancel(buffer) }
        }
    }

    func close() async { destroy() }

    private func destroy() {
        let mustDestroy = state.withLock { isDestroyed in
            defer { isDestroyed = true }
            return !isDestroyed
        }
        if mustDestroy { iio_buffer_destroy(buffer) }
    }
}

/// Times a call of the library, from when it is made.
private struct CallTimer {
    let limit: Duration
    private let start = SystemClock().now

    init(limit: Duration) { self.limit = limit }

    /// What the call ended by, with an error number of either sign.
    func fault(_ number: Int, _ what: String) -> IIOFault {
        IIOFault(
            errno: number, doing: what, after: start.duration(to: SystemClock().now), of: limit)
    }
}

extension FixedWidthInteger {
    /// Says that a result tells nothing that matters.
    fileprivate func discard() {}
}
#endif
