/// An error number of Linux, in words and by its name.
///
/// What C libraries and drivers give may have either sign. Source: errno(3), and the kernel's
/// asm-generic/errno.h.
package struct ErrorNumber: Sendable, Hashable, CustomStringConvertible {
    /// The number, positive.
    package let value: Int32

    /// Takes a number of either sign.
    package init(_ number: some BinaryInteger) {
        value = Int32(clamping: number.magnitude)
    }

    /// `permission denied (EACCES)`.
    package var description: String {
        switch value {
        case 1: "operation not permitted (EPERM)"
        case 2: "no such file or directory (ENOENT)"
        case 5: "input/output error (EIO)"
        case 6: "no such device or address (ENXIO)"
        case 9: "the file is closed (EBADF)"
        case 11: "nothing there yet (EAGAIN)"
        case 12: "no memory (ENOMEM)"
        case 13: "permission denied (EACCES)"
        case 16: "device or resource busy (EBUSY)"
        case 19: "no such device (ENODEV)"
        case 22: "invalid argument (EINVAL)"
        case 24: "this process has too many files open (EMFILE)"
        case 25: "the driver does not know that call (ENOTTY)"
        case 28: "no space left (ENOSPC)"
        case 32: "the connection broke (EPIPE)"
        case 38: "not implemented (ENOSYS)"
        case 71: "protocol error (EPROTO)"
        case 104: "connection reset by peer (ECONNRESET)"
        case 110: "timed out (ETIMEDOUT)"
        case 111: "connection refused (ECONNREFUSED)"
        case 113: "no route to host (EHOSTUNREACH)"
        default: "error \(value)"
        }
    }
}
