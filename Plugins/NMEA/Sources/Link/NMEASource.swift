/// Where sentences come from, as a user writes it.
package enum NMEASource: Equatable, Sendable, CustomStringConvertible {
    /// A serial device, with its rate in bit/s; nil to try the usual ones.
    case serial(path: String, rate: Int?)
    /// A program that listens.
    case tcp(host: String, port: UInt16)
    /// Datagrams that are sent to this machine; nil for any of its addresses.
    case udp(host: String?, port: UInt16)
    /// A recorded log.
    case file(path: String)

    /// The port for NMEA 0183 over IP.
    ///
    /// Source: IANA, `nmea-0183`.
    static var standardPort: UInt16 { 10_110 }

    /// What a user may write.
    static let forms =
        "serial:/dev/ttyUSB0, serial:/dev/ttyUSB0@4800, tcp:HOST:PORT, udp:PORT or file:PATH"

    /// Reads one of `forms`; nil for anything else.
    package init?(_ text: String) {
        guard let colon = text.firstIndex(of: ":") else { return nil }
        let rest = String(text[text.index(after: colon)...])
        if rest.isEmpty { return nil }
        switch text[..<colon] {
        case "serial":
            // Names of devices may have an '@', too.
            guard let at = rest.lastIndex(of: "@"), let rate = Int(rest[rest.index(after: at)...])
            else {
                self = .serial(path: rest, rate: nil)
                return
            }
            guard SerialRate.symbol(rate) != nil, at > rest.startIndex else { return nil }
            self = .serial(path: String(rest[..<at]), rate: rate)
        case "tcp":
            guard let (host, port) = Self.address(rest) else { return nil }
            self = .tcp(host: host ?? "127.0.0.1", port: port)
        case "udp":
            guard let (host, port) = UInt16(rest).map({ (nil, $0) }) ?? Self.address(rest),
                port > 0
            else { return nil }
            self = .udp(host: host, port: port)
        case "file": self = .file(path: rest)
        default: return nil
        }
    }

    /// Reads `HOST:PORT`, `[IPV6]:PORT`, `HOST` or `:PORT`.
    private static func address(_ text: String) -> (host: String?, port: UInt16)? {
        var host = Substring(text)
        var port = "\(standardPort)"
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
            if !rest.isEmpty { port = String(rest.dropFirst()) }
        } else if let colon = text.lastIndex(of: ":"), text.firstIndex(of: ":") == colon {
            host = text[..<colon]
            port = String(text[text.index(after: colon)...])
        }
        guard let number = UInt16(port), number > 0 else { return nil }
        return (host.isEmpty ? nil : String(host), number)
    }

    /// For people: `the serial device /dev/ttyUSB0`, `boat.local:10110`.
    package var description: String {
        func joined(_ host: String, _ port: UInt16) -> String {
            host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        }
        return switch self {
        case .serial(let path, _): "the serial device \(path)"
        case .tcp(let host, let port): "the NMEA server \(joined(host, port))"
        case .udp(let host?, let port): "UDP to \(joined(host, port))"
        case .udp(nil, let port): "UDP to port \(port)"
        case .file(let path): "the file \(path)"
        }
    }
}
