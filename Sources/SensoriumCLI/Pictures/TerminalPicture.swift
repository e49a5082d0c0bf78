import Sensorium
import SensoriumImages

/// A picture made of characters, two pixels in each: the upper half block is the one above, and what is
/// behind it the one below.
///
/// Source of the sequences: ECMA-48 SGR; 38;2 and 48;2 are xterm's direct colours, 38;5 and 48;5 those of
/// its palette.
enum TerminalPicture {
    /// The picture as lines, in its own proportions: none where there is no room, or no colour.
    static func lines(of picture: Picture, columns: Int, rows: Int, _ colors: Terminal.Colors)
        -> [String]
    {
        guard colors != .none, columns > 0, rows > 0, picture.width > 0, picture.height > 0 else {
            return []
        }
        let scale = min(
            1, Double(columns) / Double(picture.width), Double(rows * 2) / Double(picture.height))
        let width = max(1, Int(Double(picture.width) * scale))
        let height = max(1, Int(Double(picture.height) * scale))
        let small = Shrunk(picture, width: width, height: height)
        return stride(from: 0, to: height, by: 2).map { row in
            line(
                (0..<width).map { small[$0, row] },
                row + 1 < height ? (0..<width).map { small[$0, row + 1] } : nil, colors)
        }
    }

    private static func line(
        _ upper: [Pixel], _ lower: [Pixel]?, _ colors: Terminal.Colors
    ) -> String {
        var text = ""
        var shown: (String, String)?
        for column in upper.indices {
            let above = "38;" + code(upper[column], colors)
            let below = lower.map { "48;" + code($0[column], colors) } ?? "49"
            if shown?.0 != above || shown?.1 != below { text += "\u{1b}[\(above);\(below)m" }
            shown = (above, below)
            text += "▀"
        }
        return text + "\u{1b}[0m"
    }

    private static func code(_ pixel: Pixel, _ colors: Terminal.Colors) -> String {
        colors == .direct
            ? "2;\(pixel.red);\(pixel.green);\(pixel.blue)" : "5;\(paletteIndex(pixel))"
    }

    /// The nearest of the palette's 216 colours and 24 greys.
    static func paletteIndex(_ pixel: Pixel) -> Int {
        let steps = [0, 95, 135, 175, 215, 255]
        let parts = [pixel.red, pixel.green, pixel.blue].map { Int($0) }
        let cube = parts.map { part in
            steps.indices.min { abs(steps[$0] - part) < abs(steps[$1] - part) } ?? 0
        }
        func distance(_ color: [Int]) -> Int {
            zip(color, parts).map { ($0 - $1) * ($0 - $1) }.reduce(0, +)
        }
        let mean = parts.reduce(0, +) / 3
        let grey = max(0, min(23, (mean - 3) / 10))
        let level = 8 + 10 * grey
        if distance([level, level, level]) < distance(cube.map { steps[$0] }) { return 232 + grey }
        return 16 + 36 * cube[0] + 6 * cube[1] + cube[2]
    }
}

/// A picture made smaller: each of its pixels is the mean of some of those that it stands for.
private struct Shrunk {
    private let picture: Picture
    private let width: Int
    private let height: Int

    /// How many rows and columns of a pixel's area are looked at.
    private static let samples = 4

    init(_ picture: Picture, width: Int, height: Int) {
        self.picture = picture
        self.width = width
        self.height = height
    }

    subscript(column: Int, row: Int) -> Pixel {
        let columns = Self.places(column, of: width, in: picture.width)
        let rows = Self.places(row, of: height, in: picture.height)
        var (red, green, blue) = (0, 0, 0)
        for row in rows {
            for column in columns {
                let pixel = picture[column, row]
                red += Int(pixel.red)
                green += Int(pixel.green)
                blue += Int(pixel.blue)
            }
        }
        let count = rows.count * columns.count
        return Pixel(
            red: UInt8(red / count), green: UInt8(green / count), blue: UInt8(blue / count))
    }

    private static func places(_ index: Int, of count: Int, in size: Int) -> [Int] {
        let (start, end) = (
            index * size / count, max(index * size / count + 1, (index + 1) * size / count)
        )
        let step = max(1, (end - start) / samples)
        return Array(stride(from: start, to: end, by: step))
    }
}
