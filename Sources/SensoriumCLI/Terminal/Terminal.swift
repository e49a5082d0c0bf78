import Glibc

/// What the standard output can show.
struct Terminal: Hashable, Sendable {
    /// In characters.
    var columns: Int
    /// In lines.
    var rows: Int
    /// Whether it shows more than ASCII.
    var isUnicode: Bool

    /// The size of the terminal behind a descriptor; nil where it is none, or one that cannot move
    /// its cursor.
    init?(descriptor: Int32, environment: [String: String]) {
        let type = environment["TERM"] ?? ""
        guard isatty(descriptor) == 1, !type.isEmpty, type != "dumb" else { return nil }
        var size = winsize()
        let isKnown = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        columns = isKnown ? Int(size.ws_col) : environment["COLUMNS"].flatMap { Int($0) } ?? 80
        rows = isKnown && size.ws_row > 0 ? Int(size.ws_row) : 24
        isUnicode = Self.isUnicode(environment)
    }

    /// Makes one of a size.
    init(columns: Int, rows: Int, isUnicode: Bool = true) {
        self.columns = columns
        self.rows = rows
        self.isUnicode = isUnicode
    }

    /// Whether the environment says UTF-8, or says nothing: a bare container has no locale, and its
    /// terminal shows UTF-8 all the same.
    ///
    /// The kernel's console has no glyphs for bars.
    static func isUnicode(_ environment: [String: String]) -> Bool {
        if environment["TERM"] == "linux" { return false }
        let names = ["LC_ALL", "LC_CTYPE", "LANG"]
        guard let locale = names.compactMap({ environment[$0] }).first(where: { !$0.isEmpty })
        else { return true }
        let name = locale.lowercased()
        return name.hasSuffix("utf-8") || name.hasSuffix("utf8")
    }
}
