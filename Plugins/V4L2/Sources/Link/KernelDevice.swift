import CV4L2
import Glibc
import Sensorium

/// An open node of the kernel.
///
/// Calls come one at a time from the session's thread; `interrupt` comes from anywhere.
final class KernelDevice: V4L2Device {
    private struct Files {
        var file: Int32
        var wake: Int32
    }

    private let path: String
    private let files: Guarded<Files>
    private let isMultiplanar = Guarded<Int32>(0)

    init(path: String, file: Int32, wake: Int32) {
        self.path = path
        files = Guarded(Files(file: file, wake: wake))
    }

    deinit { closeFiles() }

    private var file: Int32 { files.withLock { $0.file } }
    private var planar: Int32 { isMultiplanar.withLock { $0 } }

    // MARK: What it can do

    func capability() async throws(V4L2Fault) -> V4L2Capability {
        var answer = cv4l2_capability()
        try check(cv4l2_query(file, &answer), "asking \(path) what it is")
        let capability = V4L2Capability(
            driver: Self.text(answer.driver), card: Self.text(answer.card),
            bus: Self.text(answer.bus), abilities: .init(rawValue: answer.node))
        isMultiplanar.withLock { $0 = capability.isMultiplanar ? 1 : 0 }
        return capability
    }

    func format(at index: Int) async throws(V4L2Fault) -> PixelFormat? {
        var code: UInt32 = 0
        let status = cv4l2_enum_format(file, planar, UInt32(clamping: index), &code)
        return try isThere(status, "listing the formats of \(path)")
            ? PixelFormat(fourcc: code) : nil
    }

    func size(of pixels: PixelFormat, at index: Int) async throws(V4L2Fault) -> V4L2SizeRange? {
        var size = cv4l2_size()
        let status = cv4l2_enum_size(file, pixels.fourcc, UInt32(clamping: index), &size)
        guard try isThere(status, "listing the sizes of \(path)") else { return nil }
        return V4L2SizeRange(
            width: (Int(size.min_width), Int(size.max_width)),
            height: (Int(size.min_height), Int(size.max_height)),
            widthStep: Int(size.step_width), heightStep: Int(size.step_height))
    }

    func interval(
        of pixels: PixelFormat, width: Int, height: Int, at index: Int
    ) async throws(V4L2Fault) -> V4L2IntervalRange? {
        var interval = cv4l2_interval()
        let status = cv4l2_enum_interval(
            file, pixels.fourcc, UInt32(clamping: width), UInt32(clamping: height),
            UInt32(clamping: index), &interval)
        guard try isThere(status, "listing the rates of \(path)") else { return nil }
        let shortest = V4L2Interval(interval.min_numerator, interval.min_denominator)
        if interval.is_range == 0 { return .one(shortest) }
        return .range(
            shortest, V4L2Interval(interval.max_numerator, interval.max_denominator))
    }

    // MARK: Format and rate

    func setFormat(_ wish: V4L2Format) async throws(V4L2Fault) -> V4L2Format {
        var format = cv4l2_format()
        format.width = UInt32(clamping: wish.width)
        format.height = UInt32(clamping: wish.height)
        format.fourcc = wish.pixels.fourcc
        try check(
            cv4l2_set_format(file, planar, &format),
            "asking \(path) for \(wish.pixels) of \(wish.width)x\(wish.height)")
        return V4L2Format(format)
    }

    func format() async throws(V4L2Fault) -> V4L2Format {
        var format = cv4l2_format()
        try check(cv4l2_get_format(file, planar, &format), "asking \(path) for its format")
        return V4L2Format(format)
    }

    func setInterval(_ interval: V4L2Interval) async throws(V4L2Fault) {
        try check(
            cv4l2_set_interval(file, planar, interval.numerator, interval.denominator),
            "setting the rate of \(path)")
    }

    func interval() async throws(V4L2Fault) -> V4L2Interval {
        var interval = V4L2Interval(0, 0)
        try check(
            cv4l2_get_interval(file, planar, &interval.numerator, &interval.denominator),
            "asking \(path) for its rate")
        return interval
    }

    // MARK: Buffers

    func requestBuffers(_ count: Int) async throws(V4L2Fault) -> Int {
        var count = UInt32(clamping: count)
        try check(
            cv4l2_request_buffers(file, planar, &count), "asking \(path) for buffers")
        return Int(count)
    }

    func map(_ index: Int) async throws(V4L2Fault) -> any V4L2Memory {
        var buffer = cv4l2_buffer()
        try check(
            cv4l2_query_buffer(file, planar, UInt32(clamping: index), &buffer),
            "asking \(path) for buffer \(index)")
        return try MappedMemory(
            file: file, offset: Int(buffer.map_offset), length: Int(buffer.length),
            of: "buffer \(index) of \(path)")
    }

    func queue(_ index: Int) async throws(V4L2Fault) {
        try check(
            cv4l2_queue(file, planar, UInt32(clamping: index)),
            "giving \(path) buffer \(index)")
    }

    func dequeue() async throws(V4L2Fault) -> V4L2Buffer? {
        var buffer = cv4l2_buffer()
        let status = cv4l2_dequeue(file, planar, &buffer)
        if status == -EAGAIN { return nil }
        try check(status, "taking a frame of \(path)")
        return V4L2Buffer(
            index: Int(buffer.index), bytesUsed: Int(buffer.bytes_used),
            dataOffset: Int(buffer.data_offset), flags: .init(rawValue: buffer.flags),
            sequence: buffer.sequence,
            stamp: buffer.seconds &* 1_000_000_000 &+ buffer.microseconds &* 1000)
    }

    func start() async throws(V4L2Fault) {
        try check(cv4l2_stream(file, planar, 1), "starting \(path)")
    }

    func stop() async { _ = cv4l2_stream(file, planar, 0) }

    // MARK: Waiting

    func wait(for limit: Duration) async throws(V4L2Fault) -> V4L2Event {
        let (file, wake) = files.withLock { ($0.file, $0.wake) }
        var ends = [
            pollfd(fd: file, events: Int16(POLLIN), revents: 0),
            pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
        ]
        let milliseconds = Int32(clamping: limit.wholeNanoseconds / 1_000_000 + 1)
        let count = poll(&ends, 2, milliseconds)
        if count < 0 {
            if errno == EINTR { return .interrupted }
            throw V4L2Fault(errno: errno, doing: "waiting for a frame of \(path)")
        }
        if ends[1].revents != 0 {
            var value: UInt64 = 0
            _ = read(wake, &value, 8)
            return .interrupted
        }
        if count == 0 { return .timedOut }
        return ends[0].revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 ? .broken : .ready
    }

    func interrupt() {
        // Under the lock, so that the descriptor cannot be somebody else's by now.
        files.withLock { files in
            var one: UInt64 = 1
            if files.wake >= 0 { _ = write(files.wake, &one, 8) }
        }
    }

    func close() async { closeFiles() }

    private func closeFiles() {
        let old = files.withLock { files in
            defer { files = Files(file: -1, wake: -1) }
            return files
        }
        for file in [old.file, old.wake] where file >= 0 { Glibc.close(file) }
    }

    // MARK: Errors

    private func check(_ status: Int32, _ what: @autoclosure () -> String) throws(V4L2Fault) {
        if status < 0 { throw V4L2Fault(errno: status, doing: what()) }
    }

    /// Whether an enumeration has that entry; EINVAL is its end, ENOTTY a driver without it.
    private func isThere(
        _ status: Int32, _ what: @autoclosure () -> String
    ) throws(V4L2Fault) -> Bool {
        if status == -EINVAL || status == -ENOTTY { return false }
        try check(status, what())
        return true
    }

    private static func text<Characters>(_ characters: Characters) -> String {
        withUnsafeBytes(of: characters) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}

/// Memory of the kernel, mapped until nobody needs it.
private final class MappedMemory: V4L2Memory {
    private let start: UInt
    private let length: Int

    init(file: Int32, offset: Int, length: Int, of what: String) throws(V4L2Fault) {
        guard length > 0 else { throw V4L2Fault(.malformed, "\(what) is empty") }
        // Writable, though nobody writes: some drivers refuse a mapping that is not.
        let start = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_SHARED, file, offset)
        guard let start, start != MAP_FAILED else {
            throw V4L2Fault(errno: errno, doing: "mapping \(what)")
        }
        self.start = UInt(bitPattern: start)
        self.length = length
    }

    var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: start), count: length)
    }

    deinit { munmap(UnsafeMutableRawPointer(bitPattern: start), length) }
}

extension V4L2Format {
    init(_ format: cv4l2_format) {
        self.init(
            width: Int(format.width), height: Int(format.height),
            pixels: PixelFormat(fourcc: format.fourcc),
            bytesPerLine: Int(format.bytes_per_line), imageSize: Int(format.image_size),
            memoryPlanes: Int(format.planes))
    }
}
