import Sensorium
import SensoriumRecording

/// `sensorium convert`: a recording as another kind of file.
enum ConvertCommand {
    private static let sensor = RepeatedOption(
        "sensor", "SENSOR|KIND", .text("a sensor's id or a kind"),
        "Take this sensor only, or the sensors of this kind. May be repeated.")

    static let command = Command(
        name: "convert",
        summary: "Writes a recording as another kind of file.",
        discussion: [
            "What OUT is to be is taken from the end of its name: "
                + "\(RecordingArguments.formatNames { $0.create != nil }). What the format has no place "
                + "for is left out, and counted on standard error.",
            "OUT is written beside its place as OUT.part, and moved there when it is whole.",
        ],
        arguments: [
            RecordingArguments.input,
            Argument("OUT", "The file to write.", completion: .file),
        ],
        options: [sensor.spec, RecordingArguments.rate.spec, RecordingArguments.force.spec],
        examples: [
            .init("sensorium convert walk.mcap walk.gpx", "The track, for a map."),
            .init(
                "sensorium convert walk.mcap imu.csv --sensor acceleration", "For a spreadsheet."),
            .init("sensorium convert route.gpx route.mcap --rate 1", "A route without times."),
        ]
    ) { invocation, surroundings throws(CommandFailure) in
        let (input, output) = (invocation.words[0], invocation.words[1])
        let (format, create) = try RecordingArguments.formatToWrite(output)
        let place = try OutputPlace(
            output, replaces: invocation[RecordingArguments.force], inputs: [input])
        let reader = try CommandFailure.ofRecording { () throws(RecordingError) in
            try RecordingFormat.open(input)
        }
        let wanted = try RecordingArguments.choose(
            invocation[sensor], from: reader.sensors, of: input)
        var conversion = Conversion(
            sensors: wanted.filter { format.kinds.contains($0.kind) },
            rate: invocation[RecordingArguments.rate])
        if conversion.sensors.isEmpty {
            throw CommandFailure(
                .badData, "nothing of \(input.printable) has a place in \(format.name)",
                hint: "it holds \(format.kinds.map(\.name).sorted().joined(separator: ", "))")
        }
        do throws(RecordingError) {
            try conversion.run(from: reader, to: create(place.draft, reader.metadata))
        } catch {
            place.discard()
            var failure = error
            if failure.path == place.draft { failure.path = output }
            throw CommandFailure(failure)
        }
        if Task.isCancelled {
            place.discard()
            return .success
        }
        try place.settle()
        conversion.tell(surroundings.notices, reader, as: format, to: output)
        return .success
    }
}

/// One run of `convert`.
private struct Conversion {
    let sensors: [RecordedSensor]
    /// Hertz, where the events have no times.
    let rate: Double?
    private var written = 0
    private var untimed = 0
    private var leftOut: [SensorID: Int] = [:]
    private var last: SensorInstant?

    init(sensors: [RecordedSensor], rate: Double?) {
        self.sensors = sensors
        self.rate = rate
    }

    mutating func run(
        from reader: any RecordingReader, to writer: any RecordingWriter
    ) throws(RecordingError) {
        for sensor in sensors { try writer.add(sensor) }
        let ids = Set(sensors.map(\.id))
        while !Task.isCancelled, let event = try reader.next() {
            guard ids.contains(event.sensor) else {
                if event.reading != nil { leftOut[event.sensor, default: 0] += 1 }
                continue
            }
            try writer.write(timed(event))
            if event.reading != nil { written += 1 }
        }
        try writer.finish()
    }

    /// The event at a time, as far as that can be had.
    private mutating func timed(_ event: RecordedEvent) -> RecordedEvent {
        var event = event
        if event.instant == nil, let rate {
            let start = SensorInstant(nanoseconds: 1_000_000_000)
            let instant = last?.advanced(by: .seconds(1 / rate)) ?? start
            event.instant = instant
            if case .reading(var reading) = event.content, !reading.time.isKnown {
                reading.time = ReadingTime(instant, source: .arrival)
                event.content = .reading(reading)
            }
        }
        if event.instant == nil { untimed += 1 }
        last = event.instant ?? last
        return event
    }

    func tell(
        _ notices: Notices, _ reader: any RecordingReader, as format: RecordingFormat,
        to output: String
    ) {
        var text = "\(output.printable): \(written) \(written == 1 ? "reading" : "readings")"
        if untimed > 0 { text += ", \(untimed) of them without a time" }
        notices.post(text)
        for (id, count) in leftOut.sorted(by: { $0.key < $1.key }) {
            let kind = reader.sensor(id)?.kind
            let isHeld = kind.map { format.kinds.contains($0) } ?? true
            let why = isHeld ? "not asked for" : "\(format.name) has no place for it"
            notices.post(
                "left out: \(count) \(count == 1 ? "reading" : "readings") of "
                    + "\(id.rawValue): \(why)")
        }
        if !reader.damage.isEmpty { notices.post("the input is damaged: \(reader.damage)") }
    }
}
