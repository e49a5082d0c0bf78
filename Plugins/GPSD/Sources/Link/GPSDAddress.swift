/// Where a gpsd listens, as a user writes it.
struct GPSDAddress: Equatable, CustomStringConvertible {
    /// A name, or an IP address without brackets.
    var host: String
    /// A TCP port.
    var port: UInt16

    /// gpsd's own port.
    ///
    /// Source: IANA, `gpsd`.
    static var standardPort: UInt16 { 2947 }

    /// Reads `HOST:PORT`, `[IPV6]:PORT`, `HOST`, `:PORT`; nil where it is none of these.
    init?(_ text: String) {
        var host = Substring(text)
        var port = String(Self.standardPort)
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            if !rest.isEmpty {
                guard rest.hasPrefix(":") else { return nil }
                port = String(rest.dropFirst())
            }
        } else if let colon = text.lastIndex(of: ":"),
            text.firstIndex(of: ":") == colon
        {
            host = text[..<colon]
            port = String(text[text.index(after: colon)...])
        }
        guard let number = UInt16(port), number > 0 else { return nil }
        self.host = host.isEmpty ? "127.0.0.1" : String(host)
        self.port = number
    }

    /// `127.0.0.1:2947`, `[::1]:2947`.
    var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
