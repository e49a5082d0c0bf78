import Glibc
import Sensorium

@testable import SensoriumCLI

/// Runs what blocks on a thread of its own: the pool has one for each core, and all tests share it.
func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withUnsafeContinuation { continuation in
        let isStarted = ThreadCondition.startThread { continuation.resume(returning: work()) }
        precondition(isStarted, "the system has no thread left")
    }
}

/// Both ends of a pipe.
final class Pipe: Sendable {
    let writing: Int32
    let reading: Int32
    private let open = Guarded((reading: true, writing: true))

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw TemporaryFolder.Failure(what: "pipe", code: errno)
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (reading, writing) = (ends[0], ends[1])
    }

    /// Makes one that has `text` in it, and then ends.
    convenience init(holding text: String) throws {
        try self.init()
        let bytes = Array(text.utf8)
        // More would block: a pipe holds 64 KiB.
        precondition(bytes.count <= 65_536)
        _ = write(writing, bytes, bytes.count)
        closeWriting()
    }

    deinit {
        closeWriting()
        closeReading()
    }

    func closeWriting() {
        let isFirst = open.withLock { open in
            defer { open.writing = false }
            return open.writing
        }
        if isFirst { close(writing) }
    }

    func closeReading() {
        let isFirst = open.withLock { open in
            defer { open.reading = false }
            return open.reading
        }
        if isFirst { close(reading) }
    }

    /// Writes until it holds no more.
    func fill() {
        _ = fcntl(writing, F_SETFL, O_NONBLOCK)
        let bytes = [UInt8](repeating: 0x20, count: 4096)
        while write(writing, bytes, bytes.count) > 0 {}
        _ = fcntl(writing, F_SETFL, 0)
    }

    /// What is there, at most 64 KiB; waits for something.
    ///
    /// Nil at the end.
    func read() async -> String? {
        await onThread { self.readNow() }
    }

    private func readNow() -> String? {
        let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            count = max(0, Glibc.read(reading, buffer.baseAddress, buffer.count))
        }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    /// Everything up to the end.
    func closeAndReadAll() async -> String {
        closeWriting()
        var text = ""
        while let more = await read() { text += more }
        return text
    }
}
