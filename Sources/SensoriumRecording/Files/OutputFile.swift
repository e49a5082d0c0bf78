import Glibc

/// A file that is written from its start to its end.
package final class OutputFile {
    /// Its name.
    package let path: String
    /// How many bytes were written.
    package private(set) var count: UInt64 = 0
    private var descriptor: Int32

    /// Creates a file, or empties the one that is there.
    package init(_ path: String) throws(RecordingError) {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        if descriptor < 0 { throw Self.error(path, errno) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Writes bytes.
    ///
    /// They are in the kernel's hands when it returns, so that the end of this process cannot lose
    /// them. After an error, what was begun is taken back, so that the file ends where it ended
    /// before.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(RecordingError) {
        guard let base = bytes.baseAddress else { return }
        guard descriptor >= 0 else {
            throw RecordingError(.misuse, path: path, reason: "it was closed already")
        }
        var done = 0
        while done < bytes.count {
            let written = Glibc.write(descriptor, base + done, bytes.count - done)
            if written > 0 {
                done += written
            } else if written == 0 || errno != EINTR {
                let code = written == 0 ? ENOSPC : errno
                // A device has no length to take back, so that a failure here means nothing.
                if done > 0 { _ = ftruncate(descriptor, off_t(count)) }
                throw Self.error(path, code)
            }
        }
        count += UInt64(done)
    }

    /// Writes bytes.
    package func write(_ bytes: [UInt8]) throws(RecordingError) {
        let result = bytes.withUnsafeBytes { buffer in
            Result { () throws(RecordingError) in try write(buffer) }
        }
        try result.get()
    }

    /// Closes it; some file systems say only now that they are full.
    package func finish() throws(RecordingError) {
        if descriptor < 0 { return }
        let status = close(descriptor)
        let code = errno
        descriptor = -1
        if status != 0, code != EINTR { throw Self.error(path, code) }
    }

    private static func error(_ path: String, _ code: Int32) -> RecordingError {
        let isFull = code == ENOSPC || code == EDQUOT || code == EFBIG
        let hint =
            switch code {
            case ENOSPC: "make room, or write elsewhere; what was written before can be read"
            case EDQUOT: "free some of your quota; what was written before can be read"
            case EFBIG: "raise the limit (ulimit -f); what was written before can be read"
            case ENOENT: "does its folder exist?"
            case EACCES, EPERM, EROFS: "may this user write there? (ls -ld)"
            default: ""
            }
        return RecordingError(
            isFull ? .full : .unwritable, path: path, reason: text(of: code), hint: hint)
    }

    /// What the C library calls an error, with a small first letter.
    static func text(of code: Int32) -> String {
        let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            guard let start = buffer.baseAddress, strerror_r(code, start, buffer.count) == 0 else {
                return "error \(code)"
            }
            return String(cString: start)
        }
        return text.prefix(1).lowercased() + text.dropFirst()
    }
}
