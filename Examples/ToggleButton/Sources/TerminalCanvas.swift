import Glibc
import Sensorium
import SensoriumServices

/// Paints the surface over the whole terminal, whatever the size of either.
struct TerminalCanvas: Canvas {
    /// A terminal's size, in characters.
    struct Grid: Sendable, Hashable {
        var columns: Int
        var rows: Int
    }

    private let write: @Sendable (String) -> Void
    private let grid: @Sendable () -> Grid

    /// Paints on the terminal behind standard output; nil where there is none.
    init?() {
        guard isatty(STDOUT_FILENO) == 1 else { return nil }
        self.init(write: printAtOnce) {
            var size = winsize()
            let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
            return isKnown
                ? Grid(columns: Int(size.ws_col), rows: Int(size.ws_row))
                : Grid(columns: 80, rows: 24)
        }
    }

    init(write: @escaping @Sendable (String) -> Void, grid: @escaping @Sendable () -> Grid) {
        self.write = write
        self.grid = grid
    }

    func fill(_ part: Rectangle, with color: ToggleButton.Color, isHighlighted: Bool) {
        // Asked for each time: windows change their size. The last row is for texts.
        let (grid, code) = (self.grid(), Self.code(color, isHighlighted))
        let columns = Self.cells(part.origin.x, part.size.width, of: grid.columns)
        let rows = Self.cells(part.origin.y, part.size.height, of: grid.rows - 1)
        let line = "\u{1b}[48;5;\(code)m" + String(repeating: " ", count: columns.count)
        let picture = rows.map { "\u{1b}[\($0 + 1);\(columns.lowerBound + 1)H\(line)" }
        // Clears up to the end of the row before the last, so that the text stays.
        let clear = "\u{1b}[\(max(1, grid.rows - 1));\(max(1, grid.columns))H\u{1b}[1J"
        write(clear + picture.joined() + "\u{1b}[0m\u{1b}[\(grid.rows);1H")
    }

    func show(_ text: String) {
        let grid = grid()
        write("\u{1b}[\(grid.rows);1H\u{1b}[K\(text.prefix(grid.columns))")
    }

    /// The cells that a share of a side covers; one at least.
    private static func cells(_ start: Double, _ length: Double, of count: Int) -> Range<Int> {
        let count = max(1, count)
        let first = min(max(0, Int((start * Double(count)).rounded())), count - 1)
        let end = Int(((start + length) * Double(count)).rounded())
        return first..<min(max(first + 1, end), count)
    }

    /// A colour of the terminal's 256.
    private static func code(_ color: ToggleButton.Color, _ isHighlighted: Bool) -> Int {
        switch color {
        case .inactive: isHighlighted ? 250 : 240
        case .active: isHighlighted ? 46 : 34
        }
    }
}

/// Writes lines, where there is no terminal to paint on.
struct LineCanvas: Canvas {
    func fill(_ part: Rectangle, with color: ToggleButton.Color, isHighlighted: Bool) {
        printAtOnce("button: \(color)\(isHighlighted ? ", pressed" : "")\n")
    }

    func show(_ text: String) { printAtOnce("location: \(text)\n") }
}

private func printAtOnce(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
        var rest = UnsafeRawBufferPointer(bytes)[...]
        while let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress, !rest.isEmpty {
            let count = write(STDOUT_FILENO, start, rest.count)
            if count <= 0 { return }
            rest = rest.dropFirst(count)
        }
    }
}
