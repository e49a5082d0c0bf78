import Sensorium
import SensoriumRecording

/// `sensorium info`: what is in a recording.
enum InfoCommand {
    static let command = Command(
        name: "info",
        summary: "Says what is in a recording: sensors, times, rates, gaps, losses, damage.",
        discussion: [
            "The file is read once from its start to its end, so that what is said is what can be "
                + "read, whatever its index says. RATE is by the median time between two readings. GAPS "
                + "counts pauses of more than three times that; LOST counts the readings that the "
                + "recording itself says are missing.",
            "With --json the first line is about the file, and each one after it about a sensor.",
        ],
        arguments: [RecordingArguments.input],
        options: [StreamOptions.json.spec],
        examples: [
            .init("sensorium info walk.mcap", "What did I record?"),
            .init("sensorium info track.gpx --json", "The same for a program."),
        ]
    ) { invocation, surroundings throws(CommandFailure) in
        let report = try RecordingReport(invocation.words[0])
        await surroundings.output.write(
            invocation[StreamOptions.json] ? report.json : Array(report.text.utf8))
        return report.code
    }
}

/// What `info` has to say of one file.
private struct RecordingReport {
    let path: String
    let format: RecordingFormat
    let byteCount: UInt64
    let metadata: RecordingMetadata
    let survey: RecordingSurvey
    let damage: RecordingDamage

    init(_ path: String) throws(CommandFailure) {
        self.path = path
        do throws(RecordingError) {
            format = try RecordingFormat.of(path)
            byteCount = try InputFile(path).size
            let reader = try format.open(path)
            survey = try RecordingSurvey(reading: reader)
            metadata = reader.metadata
            damage = reader.damage
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Damage of which nothing could be read is bad data.
    var code: ExitCode {
        let isBare = survey.courses.allSatisfy { $0.readings == 0 }
        return isBare && !damage.isEmpty ? .badData : .success
    }

    private var duration: Duration? {
        guard let start = survey.start, let end = survey.end else { return nil }
        return start.duration(to: end)
    }

    // MARK: For people

    var text: String {
        var lines = ["\(path.printable): \(format.name), \(byteCount.sizeText)\(writer)", times]
        for (name, value) in metadata.properties.sorted(by: { $0.key < $1.key }) {
            lines.append("\(name.printable): \(value.printable)")
        }
        if survey.courses.isEmpty {
            lines.append("no sensors")
        } else {
            lines += TextTable.lines(
                ["SENSOR", "KIND", "READINGS", "RATE", "GAPS", "LONGEST", "LOST"],
                survey.courses.map(Self.row))
        }
        for course in survey.courses {
            if course.backwardSteps > 0 {
                lines.append(
                    "\(course.sensor.id.rawValue.printable): its time went back "
                        + "\(course.backwardSteps) times")
            }
            if let failure = course.failure { lines.append("ended: \("\(failure)".printable)") }
        }
        if !damage.isEmpty { lines.append("damage: \(damage)") }
        for (topic, count) in damage.unknownMessages.sorted(by: { $0.key < $1.key }) {
            lines.append("not understood: \(count) messages of \(topic.printable)")
        }
        lines += damage.notes.map { "  \($0.printable)" }
        return lines.map { $0 + "\n" }.joined()
    }

    private var writer: String {
        metadata.writer.isEmpty ? "" : ", written by \(metadata.writer.printable)"
    }

    private var times: String {
        guard let start = survey.start, let end = survey.end, let duration else {
            return "no times"
        }
        let clock = metadata.clock
        let length = duration.clockText
        guard let first = clock.utcNanoseconds(at: start), let last = clock.utcNanoseconds(at: end)
        else { return "\(length), by \(clock.domain) without UTC" }
        var text =
            "\(Timestamp(nanoseconds: first)) to \(Timestamp(nanoseconds: last)), \(length)"
        if clock.domain != .realtime {
            text += ", by \(clock.domain)"
            if let bound = clock.utcUncertainty {
                text += ", UTC within \((bound.inSeconds * 1000).fixed(3)) ms"
            }
        }
        return text
    }

    private static func row(_ course: RecordingSurvey.Course) -> [String] {
        let isPeriodic = course.isPeriodic
        let gap = course.intervals.longest.inSeconds
        return [
            course.sensor.id.rawValue.printable, course.sensor.kind.name, "\(course.readings)",
            course.rate.map { "\($0.fixed($0 < 100 ? 2 : 1)) Hz" } ?? "-", "\(course.gaps)",
            isPeriodic && gap > 0 ? "\(gap.fixed(3)) s" : "-", "\(course.losses)",
        ]
    }

    // MARK: For programs

    var json: [UInt8] {
        var json = JSONWriter()
        let clock = metadata.clock
        json.object { json in
            json.member("file", path)
            json.member("format", format.name)
            json.member("bytes", byteCount)
            json.member("writer", metadata.writer.isEmpty ? nil : metadata.writer)
            json.member("clock", "\(clock.domain)")
            json.member("utcOffset", clock.utcOffset)
            json.member("start", survey.start?.nanoseconds)
            json.member("end", survey.end?.nanoseconds)
            json.nullableMember(
                "utc",
                survey.start.flatMap { clock.utcNanoseconds(at: $0) }
                    .map { Timestamp(nanoseconds: $0).description })
            json.member("seconds", duration.map { Double($0.wholeNanoseconds) / 1e9 })
            json.member("damaged", !damage.isEmpty)
            json.member("truncatedAt", damage.truncatedAt)
            if damage.lacksEnd { json.member("unfinished", true) }
            if damage.hasWrongChecksum { json.member("wrongChecksum", true) }
            json.member("skippedBlocks", damage.skippedBlocks)
            json.member("skippedRecords", damage.skippedRecords)
            if !metadata.properties.isEmpty {
                json.member("properties") { json in
                    for (name, value) in metadata.properties.sorted(by: { $0.key < $1.key }) {
                        json.member(name, value)
                    }
                }
            }
        }
        json.newLine()
        for course in survey.courses {
            json.object { Self.write(course, to: &$0) }
            json.newLine()
        }
        return json.bytes
    }

    private static func write(_ course: RecordingSurvey.Course, to json: inout JSONWriter) {
        json.member("sensor", course.sensor.id.rawValue)
        json.member("kind", course.sensor.kind.name)
        json.member("name", course.sensor.descriptor.name)
        json.member("readings", course.readings)
        json.member("start", course.first?.nanoseconds)
        json.member("end", course.last?.nanoseconds)
        json.member("rate", course.rate)
        json.member("requestedRate", course.sensor.requestedRate)
        json.member("gaps", course.gaps)
        let longest = course.intervals.longest.wholeNanoseconds
        json.member("longestInterval", longest > 0 ? Double(longest) / 1e9 : nil)
        json.member("lost", course.losses)
        json.member("backwardSteps", course.backwardSteps)
        json.member("failure", course.failure.map { "\($0)" })
    }
}

extension Duration {
    /// `1:02:03`, or `12.345 s` below a minute.
    var clockText: String {
        let seconds = wholeNanoseconds / 1_000_000_000
        if seconds < 60 { return "\(secondsText(3)) s" }
        let rest = "\(Timestamp.padded(seconds / 60 % 60, 2)):\(Timestamp.padded(seconds % 60, 2))"
        return "\(seconds / 3600):\(rest)"
    }
}
