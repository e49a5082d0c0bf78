import Glibc

/// The speeds of serial lines, in bit/s.
enum SerialRate {
    /// What receivers use, the most usual first.
    ///
    /// 4800 is the standard's own, 9600 what most modules start with, 38400 that of AIS and newer
    /// modules.
    static let usual = [9600, 4800, 38_400, 115_200, 57_600, 19_200, 230_400, 460_800]

    /// What termios calls a rate; nil for one that it does not have.
    static func symbol(_ rate: Int) -> speed_t? {
        switch rate {
        case 1200: speed_t(B1200)
        case 2400: speed_t(B2400)
        case 4800: speed_t(B4800)
        case 9600: speed_t(B9600)
        case 19_200: speed_t(B19200)
        case 38_400: speed_t(B38400)
        case 57_600: speed_t(B57600)
        case 115_200: speed_t(B115200)
        case 230_400: speed_t(B230400)
        case 460_800: speed_t(B460800)
        case 921_600: speed_t(B921600)
        default: nil
        }
    }
}
