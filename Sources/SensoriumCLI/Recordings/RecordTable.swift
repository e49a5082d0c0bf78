import Sensorium
import SensoriumRecording

/// What `record` shows on a terminal: a pure value that progress goes into and lines come out of.
struct RecordTable {
    /// The readings of one sensor at a moment.
    private struct Mark {
        var readings: Int
        var elapsed: Duration
    }

    private let path: String
    private var progress = RecorderProgress(elapsed: .zero, byteCount: 0, sensors: [])
    private var marks: [SensorID: Mark] = [:]
    private var rates: [SensorID: Double] = [:]
    private var messages = RecentMessages()

    /// Over how long a rate is measured.
    private static let window = Duration.seconds(1)

    init(path: String) { self.path = path }

    mutating func tell(_ message: String) { messages.tell(message) }

    mutating func update(_ progress: RecorderProgress) {
        self.progress = progress
        for sensor in progress.sensors {
            let new = Mark(readings: sensor.readings, elapsed: progress.elapsed)
            guard let old = marks[sensor.id] else {
                marks[sensor.id] = new
                continue
            }
            let passed = new.elapsed - old.elapsed
            // A sensor of less than one reading a second has its rate from one reading to the next.
            guard passed >= Self.window, new.readings > old.readings || passed >= .seconds(60)
            else {
                continue
            }
            rates[sensor.id] = Double(new.readings - old.readings) / passed.inSeconds
            marks[sensor.id] = new
        }
    }

    /// The lines, none wider and no more of them than the terminal allows.
    func lines(for terminal: Terminal) -> [String] {
        let separator = terminal.isUnicode ? " · " : " | "
        let head = [
            path.printable, progress.elapsed.elapsedText, progress.byteCount.sizeText,
            "Ctrl-C ends",
        ].joined(separator: separator)
        let table = TextTable.lines(
            ["SENSOR", "RATE", "READINGS", "LOST", "STATE"], progress.sensors.map(row))
        let tail = messages.lines
        let room = max(1, terminal.rows - 2 - tail.count)
        var body = Array(table.prefix(room))
        if table.count > room {
            body[body.count - 1] =
                "and \(table.count - room + 1) more: make the window larger"
        }
        return ([head, ""] + body + tail).prefix(max(1, terminal.rows)).map { line in
            String((terminal.isUnicode ? line : line.inASCII).prefix(terminal.columns))
        }
    }

    private func row(_ sensor: RecorderProgress.Sensor) -> [String] {
        let rate = sensor.hasEnded ? nil : rates[sensor.id]
        let state: String
        if let error = sensor.error {
            state = "ended: \(error.reason)".printable
        } else if sensor.hasEnded {
            state = "ended"
        } else if let status = sensor.status, status.state != .running {
            state = "\(status)".printable
        } else {
            state = sensor.readings == 0 ? "waiting for the first reading" : "recording"
        }
        return [
            sensor.id.rawValue.printable,
            rate.map { "\($0.fixed($0 < 10 ? 1 : 0)) Hz" } ?? "-", "\(sensor.readings)",
            "\(sensor.lost)", state,
        ]
    }
}

extension Duration {
    /// Whole minutes and seconds, `3:07`, with hours before them from the first on.
    fileprivate var elapsedText: String {
        let seconds = wholeNanoseconds / 1_000_000_000
        let rest = Timestamp.padded(seconds % 60, 2)
        if seconds < 3600 { return "\(seconds / 60):\(rest)" }
        return "\(seconds / 3600):\(Timestamp.padded(seconds / 60 % 60, 2)):\(rest)"
    }
}
