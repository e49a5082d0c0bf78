import Glibc

/// What the standard output can show.
struct Terminal: Hashable, Sendable {
    /// In characters.
    var columns: Int
    /// In lines.
    var rows: Int
    /// Whether it shows more than ASCII.
    var isUnicode: Bool
    /// Which colours it shows.
    var colors: Colors

    /// Which colours a terminal shows.
    enum Colors: Hashable, Sendable {
        /// None that we use, or the user wants none.
        case none
        /// The 256 of xterm's palette.
        case palette
        /// Any, 24 bits each.
        case direct
    }

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
        colors = Self.colors(environment)
    }

    /// Makes one of a size.
    init(columns: Int, rows: Int, isUnicode: Bool = true, colors: Colors = .none) {
        self.columns = columns
        self.rows = rows
        self.isUnicode = isUnicode
        self.colors = colors
    }

    /// The colours that the environment promises: by COLORTERM, or by the end of the terminal's name.
    ///
    /// NO_COLOR, if it is not empty, is the user's wish for none (no-color.org).
    static func colors(_ environment: [String: String]) -> Colors {
        if environment["NO_COLOR"].map({ !$0.isEmpty }) ?? false { return .none }
        if ["truecolor", "24bit"].contains(environment["COLORTERM"] ?? "") { return .direct }
        let type = environment["TERM"] ?? ""
        if type.hasSuffix("-direct") { return .direct }
        return type.hasSuffix("-256color") ? .palette : .none
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
