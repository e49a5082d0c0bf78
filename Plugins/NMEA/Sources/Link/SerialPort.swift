import Glibc
import Sensorium

/// A serial device, opened for reading alone.
enum SerialPort {
    /// Opens `path` raw, without waiting for a carrier, and keeps other programs from it.
    ///
    /// - Parameter rate: bit/s.
    static func open(_ path: String, rate: Int) -> Result<Int32, NMEALinkError> {
        let descriptor = Glibc.open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        if descriptor < 0 { return .failure(problem(errno, path)) }
        if let error = prepare(descriptor, path, rate) {
            Glibc.close(descriptor)
            return .failure(error)
        }
        return .success(descriptor)
    }

    private static func prepare(
        _ descriptor: Int32, _ path: String, _ rate: Int
    ) -> NMEALinkError? {
        if isatty(descriptor) == 0 {
            return NMEALinkError(
                reason: "\(path) is no serial device",
                hint: "set nmea.source to file:PATH for a recorded log")
        }
        guard set(rate, of: descriptor) else { return problem(errno, path) }
        // Two readers would each get half of the bytes. Source: tty_ioctl(4).
        if ioctl(descriptor, UInt(TIOCEXCL)) != 0 { return problem(errno, path) }
        tcflush(descriptor, TCIFLUSH)
        return nil
    }

    /// Sets a line to raw bytes at `rate`, eight bits, no parity, one stop bit; whether that worked.
    @discardableResult
    static func set(_ rate: Int, of descriptor: Int32) -> Bool {
        var settings = termios()
        guard let symbol = SerialRate.symbol(rate), tcgetattr(descriptor, &settings) == 0 else {
            return false
        }
        cfmakeraw(&settings)
        settings.c_cflag |= tcflag_t(CLOCAL | CREAD)
        settings.c_cflag &= ~tcflag_t(CSTOPB)
        cfsetispeed(&settings, symbol)
        cfsetospeed(&settings, symbol)
        return tcsetattr(descriptor, TCSANOW, &settings) == 0
    }

    /// What an error number means for the device.
    static func problem(_ code: Int32, _ path: String) -> NMEALinkError {
        switch code {
        case ENOENT, ENODEV, ENXIO:
            NMEALinkError(
                reason: "there is no device at \(path)",
                hint: "plug it in; 'ls /dev/serial/by-id' shows those that are there")
        case EBUSY:
            NMEALinkError(
                reason: "another program uses \(path)",
                hint: "find it with 'fuser -v \(path)'; a gpsd can be read with the gpsd plugin")
        case EIO:
            NMEALinkError(reason: "\(path) was pulled out", hint: "plug it in again")
        default:
            NMEALinkError(
                reason: "\(path): \(SystemText.of(code))", hint: "look with 'dmesg' what happened")
        }
    }

    /// The name of a device that it has wherever it is plugged in, in `/dev/serial/by-id`; nil where
    /// udev gave it none.
    static func stableName(of path: String, in folder: String = "/dev/serial/by-id") -> String? {
        if path.hasPrefix(folder + "/") { return path }
        guard let target = resolved(path), let listing = opendir(folder) else { return nil }
        defer { closedir(listing) }
        while let entry = readdir(listing) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix("."), resolved("\(folder)/\(name)") == target {
                return "\(folder)/\(name)"
            }
        }
        return nil
    }

    private static func resolved(_ path: String) -> String? {
        guard let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return String(cString: found)
    }
}

/// Goes round the usual speeds, and stays where it was over a reconnect.
final class RateGuess: Sendable {
    private let state = Guarded(0)

    var current: Int { SerialRate.usual[state.withLock { $0 }] }

    func advance() { state.withLock { $0 = ($0 + 1) % SerialRate.usual.count } }
}
