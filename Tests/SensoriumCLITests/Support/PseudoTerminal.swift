import Glibc

/// A terminal that a program can be given, and what it shows.
final class PseudoTerminal: Sendable {
    /// The end for the program.
    let program: Int32
    private let screen: Int32

    // Source: ioctl_tty(2); the macros are not imported.
    private static let unlock: UInt = 0x4004_5431
    private static let number: UInt = 0x8004_5430

    /// Whether this machine has any; a bare chroot may not.
    static var areThere: Bool { (try? PseudoTerminal(columns: 1, rows: 1)) != nil }

    init(columns: UInt16, rows: UInt16) throws {
        let screen = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (locked, number): (Int32, Int32) = (0, 0)
        guard screen >= 0, ioctl(screen, Self.unlock, &locked) == 0,
            ioctl(screen, Self.number, &number) == 0
        else { throw TemporaryFolder.Failure(what: "open /dev/ptmx", code: errno) }
        let program = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard program >= 0 else {
            throw TemporaryFolder.Failure(what: "open /dev/pts/\(number)", code: errno)
        }
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(screen, UInt(TIOCSWINSZ), &size)
        (self.screen, self.program) = (screen, program)
    }

    deinit {
        close(program)
        close(screen)
    }

    /// What is shown next; waits for it.
    func readSome() async -> String {
        await onThread { [screen] in
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = read(screen, &buffer, buffer.count)
            return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
        }
    }

    /// All that was shown; called when the program has ended, and little enough was shown.
    func readAll() -> String {
        _ = fcntl(screen, F_SETFL, O_NONBLOCK)
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(screen, &buffer, buffer.count)
            if count <= 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes += buffer[..<count]
        }
    }
}
