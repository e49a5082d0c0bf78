import Sensorium
import SensoriumRecording

/// `sensorium plot`: a recording as a picture.
enum PlotCommand {
    private static let output = Option(
        "output", letter: "o", "OUT.svg", .text("the name of a file"),
        "The picture to write; - for standard output.")

    static let command = Command(
        name: "plot",
        summary: "Draws a recording: values over time, and tracks on a map.",
        discussion: [
            "The picture is SVG, which browsers show. Accelerations, rates of turn, magnetic fields, "
                + "headings and environment values are drawn over time, with a break where readings are "
                + "missing; positions as a track between lines of latitude and longitude, with a scale. "
                + "Its size does not grow with the recording."
        ],
        arguments: [
            RecordingArguments.input,
            Argument(
                "SENSOR|KIND", "A sensor of the recording, or a kind; all where there is none.",
                .anyNumber),
        ],
        options: [output.spec, RecordingArguments.force.spec],
        examples: [
            .init("sensorium plot walk.mcap -o walk.svg", "Everything that can be drawn."),
            .init("sensorium plot walk.mcap location -o track.svg", "The track only."),
        ]
    ) { invocation, surroundings throws(CommandFailure) in
        guard let output = invocation[output] else {
            throw .misuse("say where to write the picture", hint: "-o OUT.svg")
        }
        let path = invocation.words[0]
        let place =
            output == "-"
            ? nil
            : try OutputPlace(
                output, replaces: invocation[RecordingArguments.force], inputs: [path])
        let words = Array(invocation.words.dropFirst())
        let (plot, damage) = try RecordingPlot.read(path, words)
        if Task.isCancelled { return .success }
        let picture = Array(plot.svg.utf8)
        if let place {
            do throws(RecordingError) {
                let file = try OutputFile(place.draft)
                try file.write(picture)
                try file.finish()
            } catch {
                place.discard()
                var failure = error
                failure.path = output
                throw CommandFailure(failure)
            }
            try place.settle()
        } else {
            await surroundings.output.write(picture)
        }
        if !damage.isEmpty { surroundings.notices.post("\(path) is damaged: \(damage)") }
        return .success
    }
}

/// What of a recording can be drawn.
private struct RecordingPlot {
    private let title: String
    private var maps: [SensorID: TrackMap] = [:]
    private var charts: [SensorID: CourseChart] = [:]
    private let order: [SensorID]

    /// Reads a recording twice: for the range of its times, then for its values.
    static func read(
        _ path: String, _ words: [String]
    ) throws(CommandFailure) -> (RecordingPlot, RecordingDamage) {
        let reader = try CommandFailure.ofRecording { () throws(RecordingError) in
            try RecordingFormat.open(path)
        }
        let chosen = try RecordingArguments.choose(words, from: reader.sensors, of: path)
        let drawn = chosen.filter { $0.kind == .location || CourseChart.kinds.contains($0.kind) }
        if drawn.isEmpty { throw nothing(in: path, chosen) }
        do throws(RecordingError) {
            let survey = try RecordingSurvey(reading: reader)
            try reader.rewind()
            var plot = RecordingPlot(
                path, drawn, survey, clock: reader.metadata.clock)
            while !Task.isCancelled, let event = try reader.next() { plot.add(event) }
            let isEmpty = plot.charts.isEmpty && plot.maps.values.allSatisfy(\.isEmpty)
            if !isEmpty { return (plot, reader.damage) }
        } catch {
            throw CommandFailure(error)
        }
        throw nothing(in: path, chosen)
    }

    private static func nothing(in path: String, _ sensors: [RecordedSensor]) -> CommandFailure {
        CommandFailure(
            .badData, "there is nothing to draw in \(path.printable)",
            hint: "'sensorium info' shows what it holds")
    }

    private init(
        _ path: String, _ drawn: [RecordedSensor], _ survey: RecordingSurvey, clock: RecordingClock
    ) {
        let courses = survey.courses.filter { course in drawn.contains { $0.id == course.sensor.id }
        }
        order = courses.map(\.sensor.id)
        var title = String(
            path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...])
        if let start = survey.start, let utc = clock.utcNanoseconds(at: start) {
            title += ", from \(Timestamp(nanoseconds: utc))"
        }
        self.title = title
        for course in courses {
            if course.sensor.kind == .location {
                maps[course.sensor.id] = TrackMap(course)
            } else if course.readings > 0, let start = survey.start, let end = survey.end {
                charts[course.sensor.id] = CourseChart(
                    course, from: start, length: start.duration(to: end))
            }
        }
    }

    private mutating func add(_ event: RecordedEvent) {
        let id = event.sensor
        switch event.content {
        case .reading(let reading):
            let instant = reading.time.isKnown ? reading.time.instant : event.instant
            if case .location(let fix) = reading {
                maps[id]?.add(fix, at: instant)
            } else if let instant {
                charts[id]?.add(reading, at: instant)
            }
        case .gap, .ended: maps[id]?.breakLine()
        case .status, .lost, .opened: break
        }
    }

    /// The picture: the charts, then the maps, one below the other.
    var svg: String {
        let charts = order.compactMap { self.charts[$0] }
        let maps = order.compactMap { self.maps[$0] }.filter { !$0.isEmpty }
        let height =
            40 + Double(charts.count) * CourseChart.height + Double(maps.count) * TrackMap.height
        var svg = SVGWriter(width: 960, height: height, title: title)
        svg.label(title.printable, at: (80, 26), ["font-size": "16", "font-weight": "bold"])
        var top = 40.0
        for (index, chart) in charts.enumerated() {
            chart.draw(in: &svg, top: top, id: "course\(index)")
            top += CourseChart.height
        }
        for (index, map) in maps.enumerated() {
            map.draw(in: &svg, top: top, id: "track\(index)")
            top += TrackMap.height
        }
        svg.finish()
        return svg.text
    }
}
