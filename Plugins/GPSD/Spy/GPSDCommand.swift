/// What a client may say to gpsd.
///
/// Source: gpsd_json(5), core socket protocol.
enum GPSDCommand {
    private static let names: Set<Substring> = [
        "?WATCH", "?POLL", "?VERSION", "?DEVICES", "?DEVICE",
    ]

    /// gpsd may refuse a request that is longer than this.
    private static let lengthLimit = 80

    /// The commands in what a client sent.
    static func lines(in bytes: some Sequence<UInt8>) -> [Substring] {
        String(decoding: Array(bytes), as: UTF8.self).split(whereSeparator: \.isNewline)
    }

    /// What nobody expects of a client about this line; nil where gpsd would take it.
    static func oddity(of line: Substring) -> String? {
        if !names.contains(line.prefix { $0 != "=" && $0 != ";" }) {
            return "'\(line)' is no command of gpsd's"
        }
        if line.last != ";" { return "'\(line)' does not end with a semicolon" }
        if line.utf8.count > lengthLimit { return "'\(line)' is too long for gpsd" }
        return nil
    }

    /// Whether it asks for reports.
    static func startsReports(_ line: Substring) -> Bool {
        line.hasPrefix("?WATCH=") && line.contains(#""enable":true"#)
    }
}
