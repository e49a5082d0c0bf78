import Glibc

/// A regular file that is read from any place.
package final class InputFile {
    /// Its name.
    package let path: String
    /// Its length in bytes when it was opened; it may still grow.
    package let size: UInt64
    /// When it was last changed: UTC in nanoseconds since 1970.
    package let modified: Int64
    private let descriptor: Int32

    /// Opens a file.
    ///
    /// - Throws: `RecordingError.unreadable` or `.denied`.
    package init(_ path: String) throws(RecordingError) {
        let opened = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        if opened < 0 { throw Self.error(path, errno) }
        var status = stat()
        if fstat(opened, &status) != 0 {
            let code = errno
            close(opened)
            throw Self.error(path, code)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            close(opened)
            throw RecordingError(
                .unreadable, path: path, reason: "it is not a regular file",
                hint: "save what it gives to a file first")
        }
        self.path = path
        descriptor = opened
        size = UInt64(max(0, status.st_size))
        let seconds = Int64(min(max(0, status.st_mtim.tv_sec), 4_000_000_000))
        modified = seconds * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
    }

    deinit { close(descriptor) }

    /// The first bytes, 4096 at most.
    package func start() throws(RecordingError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = try read(into: &bytes, at: 0)
        bytes.removeLast(bytes.count - count)
        return bytes
    }

    /// Fills `bytes` from `offset`; fewer come back only at the end of the file.
    package func read(into bytes: inout [UInt8], at offset: UInt64) throws(RecordingError) -> Int {
        let result = bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(RecordingError) in try read(into: buffer, at: offset) }
        }
        return try result.get()
    }

    /// Fills `buffer` from `offset`; fewer bytes come back only at the end of the file.
    package func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
    ) throws(RecordingError) -> Int {
        guard let base = buffer.baseAddress else { return 0 }
        var done = 0
        while done < buffer.count {
            let (place, overflow) = offset.addingReportingOverflow(UInt64(done))
            guard !overflow, place <= UInt64(Int64.max) else { break }
            let count = pread(descriptor, base + done, buffer.count - done, off_t(place))
            if count == 0 { break }
            if count < 0 {
                if errno == EINTR { continue }
                throw Self.error(path, errno)
            }
            done += count
        }
        return done
    }

    private static func error(_ path: String, _ code: Int32) -> RecordingError {
        let hint =
            switch code {
            case ENOENT: "is the name right?"
            case EACCES, EPERM: "may this user read it? (ls -l)"
            default: ""
            }
        return RecordingError(
            code == EACCES || code == EPERM ? .denied : .unreadable, path: path,
            reason: OutputFile.text(of: code), hint: hint)
    }
}
