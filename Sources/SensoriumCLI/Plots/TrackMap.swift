import Glibc
import Sensorium

/// A track on a plain map: north is up, one scale for both directions.
struct TrackMap {
    static let height = 620.0

    private struct Point {
        var latitude: Double
        /// East of the first point without a jump at 180°.
        var longitude: Double
        /// Whether no line leads to it.
        var isStart: Bool
    }

    private let title: String
    /// Longer pauses break the line.
    private let longestStep: Duration
    private var points: [Point] = []
    private var stride = 1
    private var seen = 0
    private var lastInstant: SensorInstant?
    private var last: Point?
    private var mustBreak = true

    /// More points than this do not show; every other one is then left out.
    private static let limit = 20_000

    init(_ course: RecordingSurvey.Course) {
        title = course.sensor.id.rawValue
        let typical = Duration.nanoseconds(Int64((course.intervals.typical ?? 1e9) * 5))
        longestStep = max(.seconds(10), typical)
    }

    /// Whether there is nothing to draw.
    var isEmpty: Bool { last == nil }

    /// Adds a fix.
    mutating func add(_ fix: LocationFix, at instant: SensorInstant?) {
        guard abs(fix.latitude) <= 90, abs(fix.longitude) <= 180 else { return }
        if let lastInstant, let instant, lastInstant.duration(to: instant) > longestStep {
            breakLine()
        }
        lastInstant = instant ?? lastInstant
        var longitude = fix.longitude
        if let last {
            let turns = ((last.longitude - longitude) / 360).rounded()
            longitude += turns * 360
        }
        let point = Point(latitude: fix.latitude, longitude: longitude, isStart: mustBreak)
        mustBreak = false
        last = point
        seen += 1
        if point.isStart || seen % stride == 0 { points.append(point) }
        if points.count > Self.limit { thin() }
    }

    /// The next point is not joined to the last.
    mutating func breakLine() {
        if !mustBreak, let last { points.append(last) }
        mustBreak = true
    }

    private mutating func thin() {
        stride *= 2
        var kept: [Point] = []
        for (index, point) in points.enumerated() where index % 2 == 0 || point.isStart {
            kept.append(point)
        }
        // Where nearly every point starts a line, there is nothing to thin; drop the oldest.
        points = kept.count > Self.limit ? Array(kept.suffix(Self.limit / 2)) : kept
    }

    // MARK: Drawing

    /// Where degrees lie in the picture.
    private struct Projection {
        let area: PlotArea
        let center: (latitude: Double, longitude: Double)
        /// Metres in a degree, at the middle of the map.
        let north: Double
        let east: Double
        /// Pixels in a metre.
        let scale: Double

        init(_ points: [Point], _ area: PlotArea) {
            self.area = area
            let latitudes = points.map(\.latitude)
            let longitudes = points.map(\.longitude)
            let (south, top) = (latitudes.min() ?? 0, latitudes.max() ?? 0)
            let (west, right) = (longitudes.min() ?? 0, longitudes.max() ?? 0)
            center = ((south + top) / 2, (west + right) / 2)
            // WGS 84; source: NIMA TR8350.2, the series for lengths of a degree.
            let angle = center.latitude * .pi / 180
            north = 111_132.954 - 559.822 * cos(2 * angle) + 1.175 * cos(4 * angle)
            east = max(1, 111_412.84 * cos(angle) - 93.5 * cos(3 * angle) + 0.118 * cos(5 * angle))
            let wide = max((right - west) * east * 1.1, 10)
            let high = max((top - south) * north * 1.1, 10)
            scale = min(area.width / wide, area.height / high)
        }

        func x(_ longitude: Double) -> Double {
            area.left + area.width / 2 + (longitude - center.longitude) * east * scale
        }

        func y(_ latitude: Double) -> Double {
            area.top + area.height / 2 - (latitude - center.latitude) * north * scale
        }

        func place(_ point: Point) -> (x: Double, y: Double) {
            (x(point.longitude), y(point.latitude))
        }
    }

    /// Draws it in a strip of the picture.
    func draw(in svg: inout SVGWriter, top: Double, id: String) {
        guard let first = points.first, let last else { return }
        let area = PlotArea(left: 80, top: top + 30, width: 860, height: Self.height - 70)
        let map = Projection(points + [last], area)
        svg.label(
            "\(title), degrees (WGS 84)", at: (area.left, top + 20), ["font-weight": "bold"])
        drawGrid(in: &svg, map)
        svg.clipped(
            to: area, id: id, ["fill": "none", "stroke": "#0072b2", "stroke-width": "2"]
        ) { svg in
            for line in lines(to: last) { svg.polyline(line.map(map.place), [:]) }
        }
        mark(first, "start", "#009e73", in: &svg, map)
        mark(last, "end", "#d55e00", in: &svg, map)
        drawScale(in: &svg, map)
        drawNorth(in: &svg, area)
        svg.rectangle(area, ["fill": "none", "stroke": "#888"])
    }

    private func lines(to last: Point) -> [[Point]] {
        var lines: [[Point]] = []
        for point in points {
            if point.isStart || lines.isEmpty { lines.append([]) }
            lines[lines.count - 1].append(point)
        }
        if !mustBreak, !lines.isEmpty { lines[lines.count - 1].append(last) }
        return lines
    }

    private func mark(
        _ point: Point, _ name: String, _ color: String, in svg: inout SVGWriter, _ map: Projection
    ) {
        let place = map.place(point)
        svg.circle(at: place, radius: 4, ["fill": color, "stroke": "white"])
        let isAtEdge = place.x > map.area.right - 50
        svg.label(
            name, at: (place.x + (isAtEdge ? -8 : 8), place.y - 6),
            ["fill": color, "text-anchor": isAtEdge ? "end" : "start"])
    }

    private func drawGrid(in svg: inout SVGWriter, _ map: Projection) {
        let area = map.area
        let halfHigh = area.height / 2 / map.scale / map.north
        let halfWide = area.width / 2 / map.scale / map.east
        let latitudes = AxisMarks(
            from: max(-90, map.center.latitude - halfHigh),
            to: min(90, map.center.latitude + halfHigh), about: 5)
        for latitude in latitudes.values {
            let y = map.y(latitude)
            svg.line(from: (area.left, y), to: (area.right, y), ["stroke": "#ddd"])
            svg.label(
                latitudes.label(latitude), at: (area.left - 6, y + 4),
                ["text-anchor": "end", "fill": "#444"])
        }
        let longitudes = AxisMarks(
            from: map.center.longitude - halfWide, to: map.center.longitude + halfWide, about: 6)
        for longitude in longitudes.values {
            let x = map.x(longitude)
            svg.line(from: (x, area.top), to: (x, area.bottom), ["stroke": "#ddd"])
            let within = longitude - (longitude / 360).rounded() * 360
            svg.label(
                longitudes.label(within), at: (x, area.bottom + 16),
                ["text-anchor": "middle", "fill": "#444"])
        }
    }

    private func drawScale(in svg: inout SVGWriter, _ map: Projection) {
        let area = map.area
        let length = AxisMarks.round(area.width / map.scale / 10)
        let text = length >= 1000 ? "\((length / 1000).fixed(0)) km" : "\(length.fixed(0)) m"
        let (x, y) = (area.left + 16, area.bottom - 16)
        let end = x + length * map.scale
        svg.polyline(
            [(x, y - 5), (x, y), (end, y), (end, y - 5)], ["fill": "none", "stroke": "black"])
        svg.label(text, at: ((x + end) / 2, y - 6), ["text-anchor": "middle"])
    }

    private func drawNorth(in svg: inout SVGWriter, _ area: PlotArea) {
        let (x, y) = (area.right - 22, area.top + 16)
        svg.polyline(
            [(x, y), (x - 6, y + 22), (x, y + 17), (x + 6, y + 22), (x, y)], ["fill": "black"])
        svg.label("N", at: (x, y + 38), ["text-anchor": "middle", "font-weight": "bold"])
    }
}
