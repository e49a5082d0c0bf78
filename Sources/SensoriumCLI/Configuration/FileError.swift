import Glibc

/// Why a file could not be read.
struct FileError: Error, Hashable, CustomStringConvertible {
    /// The `errno`.
    var code: Int32

    /// Whether there is no such file.
    var isMissing: Bool { code == ENOENT || code == ENOTDIR }

    /// What the C library says of it.
    var description: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let start = buffer.baseAddress, strerror_r(code, start, buffer.count) == 0 else {
                return "error \(code)"
            }
            return String(cString: start)
        }
    }

    /// The bytes of a small file.
    static func contents(of path: String, atMost limit: Int) throws(FileError) -> [UInt8] {
        // A FIFO that nobody writes to would be waited for.
        let descriptor = try open(path, O_NONBLOCK)
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        while bytes.count <= limit {
            let part = try read(descriptor, 16 << 10)
            if part.isEmpty { return bytes }
            bytes += part
        }
        throw FileError(code: EFBIG)
    }

    /// Opens a file for reading; the caller closes it.
    static func open(_ path: String, _ flags: Int32 = 0) throws(FileError) -> Int32 {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | flags)
        if descriptor < 0 { throw FileError(code: errno) }
        return descriptor
    }

    /// Up to `count` bytes; none at the end.
    static func read(_ descriptor: Int32, _ count: Int) throws(FileError) -> [UInt8] {
        var code: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            var got = -1
            repeat {
                got = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            } while got < 0 && errno == EINTR
            if got < 0 { code = errno }
            initialized = max(0, got)
        }
        if code != 0 { throw FileError(code: code) }
        return bytes
    }
}
