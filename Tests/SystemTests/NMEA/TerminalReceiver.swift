import Glibc
import NMEAPlugin
import Sensorium

/// Plays a receiver on a pseudo terminal, whose other end is a serial device to any program.
///
/// A link at `path` leads to the device, as udev's do, and to the next one after a replug.
final class TerminalReceiver: Sendable {
    private struct State {
        var master: Int32 = -1
        var second = 0
    }

    // Source: ioctl_tty(2); the macros are not imported.
    private static let unlock: UInt = 0x4004_5431
    private static let number: UInt = 0x8004_5430

    /// The link.
    let path: String
    private let state = Guarded(State())
    private let clock = SystemClock()

    init(name: String) throws {
        path = "/tmp/sensorium-nmea-\(getpid())-\(name)"
        try plugIn()
    }

    deinit { pullOut() }

    /// Makes a device, and leads the link to it.
    func plugIn() throws {
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (locked, number): (Int32, Int32) = (0, 0)
        guard master >= 0, ioctl(master, Self.unlock, &locked) == 0,
            ioctl(master, Self.number, &number) == 0
        else { throw GPSDProcessError("no pseudo terminal can be made") }
        unlink(path)
        symlink("/dev/pts/\(number)", path)
        state.withLock { $0.master = master }
    }

    /// Takes the device away, as pulling the plug does.
    func pullOut() {
        unlink(path)
        state.withLock { state in
            if state.master >= 0 { close(state.master) }
            state.master = -1
        }
    }

    /// Says where it is, now.
    func say(latitude: Double) {
        let utc = clock.sample(.realtime)?.time.nanoseconds
        let fix = LocationFix(
            time: ReadingTime(clock.now), latitude: latitude, longitude: 20.5, altitudeMSL: 100,
            altitudeEllipsoid: 140)
        let lines = NMEAEncoder().sentences(for: fix, utc: utc).map { $0 + "\r\n" }.joined()
        send(lines)
    }

    /// Sends text.
    func send(_ text: String) {
        let bytes = Array(text.utf8)
        state.withLock { _ = write($0.master, bytes, bytes.count) }
    }
}
