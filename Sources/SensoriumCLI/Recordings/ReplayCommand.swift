import Sensorium
import SensoriumRecording

/// `sensorium replay`: the readings of a recording as they came.
enum ReplayCommand {
    private static let speed = Option(
        "speed", "X", .speed, "Play X times as fast; 'max' for as fast as it can be written.")
    private static let start = Option(
        "from", "SECONDS", .notNegative, "Begin this many seconds after the start.")
    private static let loop = Flag("loop", "Start again at the end.")
    private static let count = StreamOptions.count("readings, of all sensors together")

    static let command = Command(
        name: "replay",
        summary: "Plays a recording as if its sensors were there now.",
        discussion: [
            "Readings are shown as 'sensorium watch' shows them, each when its time has come. Their "
                + "'t' is the time of playing; 'utc' stays that of the recording. With --speed max nothing "
                + "waits, and 't' is the time in the file.",
            "To give a recording to other programs as sensors, load the plugin instead: "
                + "'sensorium watch --set replay.file=FILE'.",
        ],
        arguments: [
            RecordingArguments.input,
            Argument(
                "SENSOR|KIND", "A sensor of the recording, or a kind; all where there is none.",
                .anyNumber),
        ],
        options: [
            speed.spec, start.spec, loop.spec, RecordingArguments.rate.spec, count.spec,
            StreamOptions.duration.spec, StreamOptions.json.spec,
        ],
        examples: [
            .init("sensorium replay walk.mcap", "As it was."),
            .init("sensorium replay walk.mcap --speed 10 --from 60", "Ten times as fast."),
            .init("sensorium replay walk.mcap location --speed max --json", "All at once."),
        ]
    ) { invocation, surroundings throws(CommandFailure) in
        let path = invocation.words[0]
        let words = Array(invocation.words.dropFirst())
        let quota = Quota(invocation[count])
        let isJSON = invocation[StreamOptions.json]
        let pace = invocation[speed] ?? .times(1)
        guard case .times(let factor) = pace else {
            if invocation[loop] || invocation[StreamOptions.duration] != nil {
                throw .misuse("--speed max takes neither --loop nor --for: nothing waits")
            }
            let dump = RecordingDump(surroundings: surroundings, isJSON: isJSON, quota: quota)
            return try await dump.run(path, words, from: .seconds(invocation[start] ?? 0))
        }
        let options = PlaybackOptions(
            speed: factor, loops: invocation[loop], start: .seconds(invocation[start] ?? 0),
            rate: invocation[RecordingArguments.rate])
        let player = try CommandFailure.ofRecording { () throws(RecordingError) in
            try RecordingPlayer(path: path, clock: surroundings.clock, options: options)
        }
        let chosen = try RecordingArguments.choose(
            words, from: player.recordedSensors, of: path)
        let registry = SensorRegistry(host: PluginHost(clock: surroundings.clock))
        for sensor in player.sensors { registry.add(sensor) }
        let watch = Watch(
            chosen: chosen.map(\.descriptor), sensors: SensorSet(registry: registry),
            surroundings: surroundings, isJSON: isJSON, rate: nil, quota: quota)
        let code = await watch.run(for: invocation[StreamOptions.duration])
        await player.stop()
        if !player.damage.isEmpty {
            surroundings.notices.post("\(path) is damaged: \(player.damage)")
        }
        return code
    }
}

/// How fast to play.
enum ReplayPace: Hashable, Sendable {
    /// So many times as fast as it was.
    case times(Double)
    /// Without any waiting.
    case unlimited
}

extension ValueForm where Value == ReplayPace {
    /// A factor, or `max`.
    static let speed = ValueForm(
        expectation: "a number above 0, up to 1e9, or max", completion: .words(["max"])
    ) { text in
        if text == "max" { return .unlimited }
        return ValueForm<Double>.positive.read(text).map { .times($0) }
    }
}

/// A recording written out at once, with the times that are in the file.
private struct RecordingDump {
    let surroundings: Surroundings
    let isJSON: Bool
    let quota: Quota

    func run(
        _ path: String, _ words: [String], from offset: Duration
    ) async throws(CommandFailure) -> ExitCode {
        let reader = try CommandFailure.ofRecording { () throws(RecordingError) in
            try RecordingFormat.open(path)
        }
        let chosen = try RecordingArguments.choose(words, from: reader.sensors, of: path)
        let ids = Set(chosen.map(\.id))
        let clock = reader.metadata.clock
        var start: SensorInstant?
        while !Task.isCancelled {
            let event = try CommandFailure.ofRecording { () throws(RecordingError) in
                try reader.next()
            }
            guard let event else { break }
            start = start ?? event.instant
            if let start, let instant = event.instant, start.duration(to: instant) < offset {
                continue
            }
            guard ids.contains(event.sensor) else { continue }
            switch event.content {
            case .reading(let reading):
                let (passes, isLast) = quota.take()
                if passes { await show(reading.dated(by: clock).printable, of: event.sensor) }
                if isLast { return .success }
            case .status(let status): surroundings.notices.post(status, of: event.sensor)
            case .lost(let loss):
                surroundings.notices.post(
                    "\(event.sensor): \(loss.count) lost: \(loss.reason.words)")
            case .gap(let reason):
                surroundings.notices.post("\(event.sensor): the recording paused: \(reason)")
            case .ended(let error?): surroundings.notices.post("\(error)")
            case .ended, .opened: break
            }
        }
        if !reader.damage.isEmpty {
            surroundings.notices.post("\(path) is damaged: \(reader.damage)")
        }
        return .success
    }

    private func show(_ reading: some PrintableReading, of id: SensorID) async {
        await surroundings.output.write(
            isJSON ? ReadingLine.json(reading, of: id) : ReadingLine.text(reading, of: id))
    }
}
