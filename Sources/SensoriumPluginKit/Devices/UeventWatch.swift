import Glibc
import Sensorium

/// Listens to the kernel's events on a thread of its own, and tells when one is of a subsystem.
///
/// It hears udev's messages, which come after udev's rules have run, and the kernel's, for machines
/// without udev. Source: netlink(7), NETLINK_KOBJECT_UEVENT.
package final class UeventWatch: Sendable {
    private struct State {
        var socket: Int32
        /// A pipe, whose closing ends the thread.
        var ends: [Int32]
        var thread: pthread_t?
    }

    private let state: Guarded<State>

    /// Starts listening; nil where that is not possible.
    ///
    /// - Parameters:
    ///   - subsystem: the kernel's name of it: `iio`, `video4linux`, `input`.
    ///   - changed: called on the watch's thread when a device of it comes, goes or changes.
    package init?(subsystem: String, _ changed: @escaping @Sendable () -> Void) {
        let kobjectEvents: Int32 = 15
        let socket = Glibc.socket(
            AF_NETLINK, Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue), kobjectEvents)
        guard socket >= 0 else { return nil }
        // struct sockaddr_nl: the family, padding, the port (0: the kernel chooses), the groups.
        let kernelAndUdev: UInt32 = 0b11
        let address: [UInt32] = [UInt32(AF_NETLINK), 0, kernelAndUdev]
        let status = address.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return Int32(-1) }
            return bind(
                socket, base.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
        var ends: [Int32] = [-1, -1]
        guard status == 0, pipe(&ends) == 0 else {
            close(socket)
            return nil
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let wake = ends[0]
        state = Guarded(State(socket: socket, ends: ends))
        let work = ThreadWork { Self.listen(socket, wake, subsystem, changed) }
        var thread = pthread_t()
        let started = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<ThreadWork>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, Unmanaged.passRetained(work).toOpaque())
        guard started == 0 else {
            close(socket)
            for end in ends { close(end) }
            return nil
        }
        state.withLock { $0.thread = thread }
    }

    /// Ends it; nothing is told after it returns.
    package func end() {
        let (thread, ends, socket) = state.withLock { state in
            (state.thread.take(), state.ends, state.socket)
        }
        guard let thread else { return }
        // The thread sees the pipe end.
        close(ends[1])
        pthread_join(thread, nil)
        close(ends[0])
        close(socket)
    }

    deinit { end() }

    private static func listen(
        _ socket: Int32, _ wake: Int32, _ subsystem: String, _ changed: () -> Void
    ) {
        var message = [UInt8](repeating: 0, count: 8192)
        while true {
            var ends = [
                pollfd(fd: socket, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
            ]
            if poll(&ends, 2, -1) < 0, errno != EINTR { return }
            if ends[1].revents != 0 { return }
            guard ends[0].revents != 0 else { continue }
            let count = recv(socket, &message, message.count, 0)
            // Events that were too many for the socket may have been of the subsystem.
            if count < 0, errno != ENOBUFS { continue }
            if count < 0 || isAbout(subsystem, message[..<count]) { changed() }
        }
    }

    /// Whether a message, a list of texts that end in zero bytes, is of `subsystem`.
    package static func isAbout(
        _ subsystem: String, _ message: some Sequence<UInt8>
    ) -> Bool {
        let wanted = Array("SUBSYSTEM=\(subsystem)".utf8)
        return message.split(separator: 0).contains { Array($0) == wanted }
    }
}

/// What a thread is to do.
private final class ThreadWork: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}
