import Sensorium
import Testing

@testable import SensoriumCLI

@Suite("Watch table", .timeLimit(.minutes(1)))
struct WatchTableTests {
    private func texts(_ table: WatchTable, _ terminal: Terminal) -> [String] {
        table.lines(for: terminal).map(\.text)
    }

    private func acceleration(_ seconds: Double, z: Double) -> Acceleration {
        let nanoseconds = Int64(seconds * 1e9)
        return Acceleration(
            time: ReadingTime(SensorInstant(nanoseconds: nanoseconds)), x: 0, y: 0, z: z,
            flags: .simulated)
    }

    @Test("says what it waits for")
    func waiting() {
        let table = WatchTable(["imu/acceleration"])
        #expect(
            texts(table, Terminal(columns: 80, rows: 24)) == [
                "sensorium watch · 1 sensor · Ctrl-C ends", "",
                "imu/acceleration · waiting for the first reading",
            ])
    }

    @Test("shows the newest values, their course, the rate, and what is to be known")
    func values() {
        var table = WatchTable(["imu/acceleration"])
        for step in 0...8 { table.add(acceleration(1 + Double(step) / 4, z: Double(step)), to: 0) }
        table.lose(3, in: 0)
        #expect(
            texts(table, Terminal(columns: 60, rows: 24)) == [
                "sensorium watch · 1 sensor · Ctrl-C ends", "",
                "imu/acceleration · 4.0 Hz · 3 lost · simulated",
                "  x                   0.000 m/s²     ▄▄▄▄▄▄▄▄▄",
                "  y                   0.000 m/s²     ▄▄▄▄▄▄▄▄▄",
                "  z                   8.000 m/s²     ▁▂▃▄▅▆▇██",
            ])
    }

    @Test("uses only ASCII where the terminal shows no more")
    func ascii() {
        var table = WatchTable(["imu/acceleration"])
        for step in 0...8 { table.add(acceleration(1 + Double(step) / 4, z: Double(step)), to: 0) }
        let lines = texts(table, Terminal(columns: 60, rows: 24, isUnicode: false))
        #expect(lines[0] == "sensorium watch | 1 sensor | Ctrl-C ends")
        #expect(lines.last == "  z                   8.000 m/s2     _.-=+*#@@")
        for line in lines { #expect(line.utf8.allSatisfy { $0 < 0x80 }) }
    }

    @Test("never is wider or higher than the terminal", arguments: [1, 10, 38, 60, 200])
    func size(columns: Int) {
        var table = WatchTable((0..<10).map { SensorID("sensor/\($0)") })
        for row in 0..<10 { table.add(Samples.fix, to: row) }
        for message in 0..<9 { table.tell("message \(message), which is rather long") }
        for rows in [1, 2, 5, 24, 200] {
            let lines = texts(table, Terminal(columns: columns, rows: rows))
            #expect(lines.count <= rows)
            for line in lines { #expect(line.count <= columns) }
        }
    }

    @Test("says how many sensors do not fit, and keeps the messages")
    func overflow() {
        var table = WatchTable(["a", "b", "c"])
        for row in 0..<3 { table.add(acceleration(1, z: 1), to: row) }
        table.tell("warning: something")
        #expect(
            texts(table, Terminal(columns: 60, rows: 10)) == [
                "sensorium watch · 3 sensors · Ctrl-C ends", "", "a · simulated",
                "  x                   0.000 m/s²     ▄",
                "  y                   0.000 m/s²     ▄",
                "  z                   1.000 m/s²     ▄", "and 2 more: make the window larger",
                "", "warning: something",
            ])
    }

    @Test("shows a status until readings come again, and why a sensor ended")
    func status() {
        var table = WatchTable(["a"])
        let terminal = Terminal(columns: 80, rows: 24)
        table.report(SensorStatus(.running), in: 0)
        #expect(texts(table, terminal)[2] == "a · waiting for the first reading")
        table.report(SensorStatus(.searching, reason: "no fix"), in: 0)
        #expect(texts(table, terminal)[2] == "a · searching: no fix")
        table.report(SensorStatus(.stale, reason: "nothing came for 5 s"), in: 0)
        table.add(Samples.acceleration, to: 0)
        #expect(texts(table, terminal)[2] == "a")
        table.fail("ended: it left the machine", in: 0)
        #expect(texts(table, terminal)[2] == "a · ended: it left the machine")
    }

    @Test("styles lines without counting that as width")
    func styles() {
        let table = WatchTable(["a"])
        let lines = table.lines(for: Terminal(columns: 10, rows: 5))
        #expect(lines[0].styled == "\u{1b}[2msensorium \u{1b}[0m")
        #expect(lines[2].styled == "\u{1b}[1ma · waitin\u{1b}[0m")
    }
}

@Suite("Sparkline", .timeLimit(.minutes(1)))
struct SparklineTests {
    @Test("fills the height with the range of the values")
    func range() {
        #expect(Sparkline.text([0, 1, 2, 3, 4, 5, 6, 7], width: 8, isUnicode: true) == "▁▂▃▄▅▆▇█")
        #expect(Sparkline.text([-1, 1], width: 8, isUnicode: true) == "▁█")
    }

    @Test("shows the newest values where not all fit")
    func width() {
        #expect(Sparkline.text([9, 0, 1], width: 2, isUnicode: true) == "▁█")
        #expect(Sparkline.text([1, 2], width: 0, isUnicode: true) == "")
        #expect(Sparkline.text([1, 2], width: -1, isUnicode: true) == "")
    }

    @Test("shows a steady value in the middle, and gaps as gaps")
    func special() {
        #expect(Sparkline.text([5, 5, 5], width: 8, isUnicode: true) == "▄▄▄")
        #expect(Sparkline.text([0, .nan, 1], width: 8, isUnicode: true) == "▁ █")
        #expect(Sparkline.text([.nan, .infinity], width: 8, isUnicode: true) == "")
        #expect(Sparkline.text([-1e308, 1e308], width: 8, isUnicode: true) == "▄▄")
    }
}

@Suite("History", .timeLimit(.minutes(1)))
struct HistoryTests {
    @Test("takes the mean of what comes within 200 ms, and keeps the newest 120")
    func steps() {
        var history = History()
        for step in 0..<1000 {
            history.add(Double(step % 2), SensorInstant(nanoseconds: 1 + Int64(step) * 100_000_000))
        }
        #expect(history.values.count == History.limit)
        #expect(history.values.allSatisfy { $0 == 0.5 })
    }

    @Test("bears a time that steps back")
    func back() {
        var history = History()
        history.add(1, SensorInstant(nanoseconds: .max))
        history.add(2, SensorInstant(nanoseconds: .min))
        history.add(3, SensorInstant(nanoseconds: 5))
        #expect(history.values.count >= 2)
    }
}

@Suite("Rate meter", .timeLimit(.minutes(1)))
struct RateMeterTests {
    @Test("measures by the readings' own times", arguments: [0.5, 1, 10, 100, 400])
    func rates(hertz: Double) {
        var meter = RateMeter()
        for step in 0...Int(max(2, hertz * 2)) {
            meter.count(SensorInstant(nanoseconds: 1 + Int64(Double(step) * 1e9 / hertz)))
        }
        #expect(abs((meter.hertz ?? 0) - hertz) < hertz / 100)
    }

    @Test("does not know a rate from one reading, and starts again when time steps back")
    func unknown() {
        var meter = RateMeter()
        meter.count(SensorInstant(nanoseconds: 5_000_000_000))
        meter.count(SensorInstant(nanoseconds: 1_000_000_000))
        #expect(meter.hertz == nil)
        meter.count(SensorInstant(nanoseconds: 3_000_000_000))
        #expect(meter.hertz == 0.5)
    }
}
