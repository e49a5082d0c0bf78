import Sensorium
import SensoriumImages

/// What the table of `watch` shows: a pure value that readings are added to and lines are made of.
struct WatchTable {
    /// One sensor.
    struct Row {
        var id: SensorID
        var fields: [ReadingField] = []
        var notes: [String] = []
        var histories: [String: History] = [:]
        var rate = RateMeter()
        var lost = 0
        var status: SensorStatus?
        var failure: String?
        /// The last frame of a camera.
        var frame: CameraFrame?
    }

    /// One line, and how it stands out.
    struct Line: Hashable {
        var text: String
        var style: Style

        enum Style: Hashable {
            case plain
            case strong
            case faint
            /// Sequences of the terminal already, as wide as they may be.
            case picture
        }

        /// The line with the terminal's sequences around it (ECMA-48 SGR).
        var styled: String {
            switch style {
            case .plain, .picture: text
            case .strong: "\u{1b}[1m\(text)\u{1b}[0m"
            case .faint: "\u{1b}[2m\(text)\u{1b}[0m"
            }
        }
    }

    private(set) var rows: [Row]
    private var messages = RecentMessages()

    init(_ sensors: [SensorID]) { rows = sensors.map { Row(id: $0) } }

    // MARK: What happens

    /// Adds a sensor below the others.
    mutating func addRow(_ id: SensorID) { rows.append(Row(id: id)) }

    mutating func add(_ reading: some PrintableReading, to row: Int) {
        let fields = reading.fields
        rows[row].fields = fields
        rows[row].notes = reading.notes + reading.warnings
        rows[row].rate.count(reading.instant)
        rows[row].frame = reading as? CameraFrame
        for field in fields {
            rows[row].histories[field.name, default: History()].add(field.value, reading.instant)
        }
        // Readings that come say more than a status that nobody took back.
        if rows[row].status?.state == .stale { rows[row].status = nil }
    }

    mutating func report(_ status: SensorStatus, in row: Int) { rows[row].status = status }

    mutating func lose(_ count: Int, in row: Int) { rows[row].lost += count }

    mutating func fail(_ reason: String, in row: Int) { rows[row].failure = reason }

    mutating func tell(_ message: String) { messages.tell(message) }

    // MARK: What it looks like

    /// The lines, none wider and no more of them than the terminal allows.
    func lines(for terminal: Terminal) -> [Line] {
        let count = rows.count == 1 ? "1 sensor" : "\(rows.count) sensors"
        let separator = terminal.isUnicode ? " · " : " | "
        let title = ["sensorium watch", count, "Ctrl-C ends"].joined(separator: separator)
        var lines = [Line(text: title, style: .faint)]
        let tail = messages.lines
        let room = terminal.rows - tail.count
        var blocks = rows.map { [Line(text: "", style: .plain)] + block($0, terminal, separator) }
        let space = room - lines.count - blocks.map(\.count).reduce(0, +)
        addPictures(to: &blocks, terminal, space)
        for (index, block) in blocks.enumerated() {
            // One line is kept for saying how many do not fit.
            let isLast = index == rows.count - 1
            if lines.count + block.count + (isLast ? 0 : 1) > room {
                let left = rows.count - index
                lines.append(
                    Line(text: "and \(left) more: make the window larger", style: .faint))
                break
            }
            lines += block
        }
        lines += tail.map { Line(text: $0, style: .faint) }
        return lines.prefix(max(1, terminal.rows)).map { line in
            if line.style == .picture { return line }
            let text = terminal.isUnicode ? line.text : line.text.inASCII
            return Line(text: String(text.prefix(terminal.columns)), style: line.style)
        }
    }

    /// Puts the last frame of each camera below its values, as far as there is space.
    private func addPictures(to blocks: inout [[Line]], _ terminal: Terminal, _ space: Int) {
        let cameras = rows.indices.filter { rows[$0].frame != nil }
        guard terminal.isUnicode, terminal.colors != .none, let first = cameras.first else {
            return
        }
        let share = space / max(1, cameras.count)
        // Fewer lines show nothing.
        guard share >= 4, terminal.columns >= 8 else { return }
        for index in first..<rows.endIndex {
            guard let frame = rows[index].frame else { continue }
            do throws(ImageError) {
                let lines = TerminalPicture.lines(
                    of: try Picture(frame), columns: terminal.columns, rows: share,
                    terminal.colors)
                blocks[index] += lines.map { Line(text: $0, style: .picture) }
            } catch {
                blocks[index].append(Line(text: "  no picture: \(error.reason)", style: .faint))
            }
        }
    }

    private func block(_ row: Row, _ terminal: Terminal, _ separator: String) -> [Line] {
        var details: [String] = []
        if let rate = row.rate.hertz { details.append("\(rate.fixed(rate < 10 ? 1 : 0)) Hz") }
        if row.lost > 0 { details.append("\(row.lost) lost") }
        details += row.notes
        if let failure = row.failure {
            details.append(failure)
        } else if let status = row.status, status.state != .running {
            details.append("\(status)".printable)
        } else if row.fields.isEmpty {
            details.append("waiting for the first reading")
        }
        let title = ([row.id.rawValue.printable] + details).joined(separator: separator)
        return [Line(text: title, style: .strong)]
            + row.fields.map { field in
                Line(text: text(field, row.histories[field.name], terminal), style: .plain)
            }
    }

    private func text(_ field: ReadingField, _ history: History?, _ terminal: Terminal) -> String {
        let number = field.number.rightAligned(to: 13)
        let text = "  \(field.name.fitted(to: 12))\(number) \(field.unit.fitted(to: 8))"
        let width = min(terminal.columns - text.count - 1, History.limit)
        guard width >= 8, let history else { return text }
        return text + " "
            + Sparkline.text(history.values, width: width, isUnicode: terminal.isUnicode)
    }
}

/// A value's course over time, for a sparkline.
struct History {
    /// How many values it keeps.
    static let limit = 120
    /// Values that are nearer in time than this become one, their mean: 200 ms.
    private static let step: Int64 = 200_000_000

    private(set) var values: [Double] = []
    private var start: Int64 = 0
    private var count = 0.0

    /// Adds a value, measured at `instant`.
    mutating func add(_ value: Double, _ instant: SensorInstant) {
        let age = instant.nanoseconds &- start
        if !values.isEmpty, age >= 0, age < Self.step {
            count += 1
            values[values.count - 1] += (value - values[values.count - 1]) / count
            return
        }
        start = instant.nanoseconds
        count = 1
        values.append(value)
        if values.count > Self.limit { values.removeFirst() }
    }
}

/// Measures the rate of readings by their own times.
struct RateMeter {
    /// Readings a second over the last second, or over the last two readings of a slower sensor.
    private(set) var hertz: Double?
    private var start: Int64?
    private var count = 0

    /// Counts a reading, measured at `instant`.
    mutating func count(_ instant: SensorInstant) {
        let now = instant.nanoseconds
        guard let start, now >= start else {
            // The first one, or time stepped back.
            self.start = now
            count = 0
            return
        }
        count += 1
        let passed = now &- start
        if passed >= 1_000_000_000 {
            hertz = Double(count) * 1e9 / Double(passed)
            self.start = now
            count = 0
        }
    }
}

extension String {
    /// The text with what units and separators need spelled in ASCII, and `?` for the rest.
    var inASCII: String {
        var text = ""
        for character in self {
            switch character {
            case _ where character.isASCII: text.append(character)
            case "²": text.append("2")
            case "µ": text.append("u")
            case "°": text += "deg"
            case "·": text.append("|")
            case "±": text += "+-"
            default: text.append("?")
            }
        }
        return text
    }
}
