import Sensorium
import SensoriumRecording

/// The values of one sensor over time, kept in a fixed number of columns whatever their number.
struct CourseChart {
    static let height = 210.0
    static let columnCount = 860

    fileprivate struct Column {
        var first: Double
        var low: Double
        var high: Double
        var last: Double
    }

    fileprivate struct Series {
        var name: String
        var columns = [Column?](repeating: nil, count: CourseChart.columnCount)
    }

    private let title: String
    private let start: SensorInstant
    /// The length of the time axis in seconds.
    private let length: Double
    /// Columns farther apart than this are not joined: readings are missing there.
    private let reach: Int
    private var series: [Series] = []
    private var unit = ""

    /// The kinds that have a course.
    static let kinds: Set<SensorKind> = [
        .acceleration, .angularVelocity, .magneticField, .heading, .attitude, .pressure,
        .temperature,
        .humidity, .illuminance, .proximity,
    ]

    /// - Parameters:
    ///   - start: the left end of the time axis.
    ///   - length: its length.
    init(_ course: RecordingSurvey.Course, from start: SensorInstant, length: Duration) {
        title = course.sensor.id.rawValue
        self.start = start
        self.length = max(length.inSeconds, 1e-9)
        let typical = (course.intervals.typical ?? 0) / 1e9
        let columns = typical * 3 / self.length * Double(Self.columnCount - 1)
        reach = Int(min(columns, Double(Self.columnCount)).rounded(.up)) + 1
    }

    /// Adds a reading of the sensor.
    mutating func add(_ reading: RecordedReading, at instant: SensorInstant) {
        let fields = reading.printable.fields
        if series.isEmpty {
            series = fields.map { Series(name: $0.name) }
            unit = fields.first?.unit ?? ""
        }
        let place = start.duration(to: instant).inSeconds / length * Double(Self.columnCount - 1)
        guard place >= 0, place < Double(Self.columnCount) else { return }
        let index = Int(place.rounded())
        for (line, field) in fields.prefix(series.count).enumerated() where field.value.isFinite {
            series[line].add(field.value, to: min(index, Self.columnCount - 1))
        }
    }

    // MARK: Drawing

    private static let colors = ["#d55e00", "#009e73", "#0072b2", "#cc79a7"]

    /// Draws it in a strip of the picture.
    func draw(in svg: inout SVGWriter, top: Double, id: String) {
        let area = PlotArea(
            left: 80, top: top + 30, width: Double(Self.columnCount), height: Self.height - 70)
        svg.label(
            unit.isEmpty ? title : "\(title), \(unit)", at: (area.left, top + 20),
            ["font-weight": "bold"])
        drawLegend(in: &svg, area)
        let (low, high) = range
        let marks = AxisMarks(from: low, to: high, about: 5)
        func y(_ value: Double) -> Double {
            area.bottom - (value - low) / (high - low) * area.height
        }
        for mark in marks.values {
            svg.line(
                from: (area.left, y(mark)), to: (area.right, y(mark)),
                ["stroke": mark == 0 ? "#888" : "#ddd"])
            svg.label(
                marks.label(mark), at: (area.left - 6, y(mark) + 4),
                ["text-anchor": "end", "fill": "#444"])
        }
        drawTimes(in: &svg, area)
        svg.clipped(to: area, id: id, ["fill": "none", "stroke-linejoin": "round"]) { svg in
            for (index, line) in series.enumerated() {
                for run in line.runs(reach: reach) {
                    let points = run.map { (x: area.left + $0.x, y: y($0.value)) }
                    let color = Self.colors[index % Self.colors.count]
                    if let only = points.first, points.count == 1 {
                        svg.circle(at: only, radius: 1, ["fill": color])
                    }
                    svg.polyline(points, ["stroke": color])
                }
            }
        }
        svg.rectangle(area, ["fill": "none", "stroke": "#888"])
    }

    private func drawLegend(in svg: inout SVGWriter, _ area: PlotArea) {
        if series.count < 2 { return }
        for (index, line) in series.enumerated() {
            let x = area.right - Double(series.count - index) * 70 + 10
            svg.line(
                from: (x, area.top - 14), to: (x + 16, area.top - 14),
                ["stroke": Self.colors[index % Self.colors.count], "stroke-width": "3"])
            svg.label(line.name, at: (x + 21, area.top - 10))
        }
    }

    private func drawTimes(in svg: inout SVGWriter, _ area: PlotArea) {
        let marks = AxisMarks(from: 0, to: length, about: 8)
        for mark in marks.values {
            let x = area.left + mark / length * (area.width - 1)
            svg.line(from: (x, area.top), to: (x, area.bottom), ["stroke": "#eee"])
            svg.label(
                marks.label(mark) + (mark == marks.values.last ? " s" : ""),
                at: (x, area.bottom + 16), ["text-anchor": "middle", "fill": "#444"])
        }
    }

    /// What the value axis shows: all values and some room, never nothing.
    private var range: (low: Double, high: Double) {
        var (low, high) = (Double.infinity, -Double.infinity)
        for line in series {
            for column in line.columns.compactMap(\.self) {
                low = min(low, column.low)
                high = max(high, column.high)
            }
        }
        if low > high { return (0, 1) }
        let room = max((high - low) * 0.05, abs(high) * 1e-6, 1e-9)
        return (low - room, high + room)
    }
}

extension CourseChart.Series {
    fileprivate mutating func add(_ value: Double, to index: Int) {
        guard var column = columns[index] else {
            columns[index] = CourseChart.Column(first: value, low: value, high: value, last: value)
            return
        }
        column.low = min(column.low, value)
        column.high = max(column.high, value)
        column.last = value
        columns[index] = column
    }

    /// The points to be joined, apart where more than `reach` columns have no value.
    fileprivate func runs(reach: Int) -> [[(x: Double, value: Double)]] {
        var runs: [[(x: Double, value: Double)]] = []
        var lastIndex: Int?
        for (index, column) in columns.enumerated() {
            guard let column else { continue }
            if lastIndex.map({ index - $0 > reach }) ?? true { runs.append([]) }
            lastIndex = index
            var values = [column.first]
            for value in [column.low, column.high, column.last] where value != values.last {
                values.append(value)
            }
            runs[runs.count - 1] += values.map { (Double(index), $0) }
        }
        return runs
    }
}
