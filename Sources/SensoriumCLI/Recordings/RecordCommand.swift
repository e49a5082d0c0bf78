import Sensorium
import SensoriumRecording

/// `sensorium record`: what sensors give, into a file.
enum RecordCommand {
    private static let output = Option(
        "output", letter: "o", "FILE", .text("the name of a file"),
        "The recording to write; the end of its name says of what format.")

    static let command = Command(
        name: "record",
        summary: "Records sensors into a file.",
        discussion: [
            "A kind stands for every sensor of that kind, but for simulated ones only where no real "
                + "one is there. Without a word, all kinds are recorded, as far as the file has a place "
                + "for them. Formats: \(RecordingArguments.formatNames { $0.create != nil }); mcap "
                + "keeps every field of every kind.",
            "Recording ends with Ctrl-C, after --for, or when every sensor has ended. FILE is written "
                + "as readings come: after a crash or a full disk, all but the last second can be "
                + "read. On a terminal, a table shows how each sensor does.",
        ],
        arguments: [
            Argument(
                "SENSOR|KIND", "A sensor's id, as 'sensorium list' shows it, or a kind.",
                .anyNumber, completion: .sensor())
        ],
        options: [
            output.spec, RecordingArguments.force.spec, StreamOptions.rate.spec,
            StreamOptions.duration.spec,
        ],
        examples: [
            .init("sensorium record -o walk.mcap", "Everything there is."),
            .init(
                "sensorium record location acceleration --rate 100 --for 60 -o walk.mcap",
                "A minute of two kinds."),
        ]
    ) { invocation, surroundings throws(CommandFailure) in
        guard let path = invocation[output] else {
            throw .misuse("say where to write the recording", hint: "-o FILE.mcap")
        }
        let (format, create) = try RecordingArguments.formatToWrite(path)
        let place = try OutputPlace(
            path, replaces: invocation[RecordingArguments.force], isDirect: true)
        return try await invocation.withSensors(surroundings) { sensors throws(CommandFailure) in
            let chosen = try choose(invocation.words, sensors, format, path, surroundings.notices)
            let clock = surroundings.clock
            let metadata = RecordingMetadata(
                clock: RecordingClock(of: clock), writer: "sensorium \(Program.version)")
            let recorder: Recorder
            do throws(RecordingError) {
                recorder = Recorder(to: try create(place.draft, metadata), clock: clock)
            } catch {
                throw CommandFailure(error)
            }
            let session = RecordingSession(
                path: path, recorder: recorder, sensors: sensors, surroundings: surroundings,
                request: SamplingRequest(rate: invocation[StreamOptions.rate]))
            return try await session.run(
                chosen, for: invocation[StreamOptions.duration].map { .seconds($0) })
        }
    }

    /// The sensors that words name, as far as the format has a place for them.
    private static func choose(
        _ words: [String], _ sensors: SensorSet, _ format: RecordingFormat, _ path: String,
        _ notices: Notices
    ) throws(CommandFailure) -> [SensorDescriptor] {
        let named = try sensors.all(words)
        let chosen = named.filter { format.kinds.contains($0.kind) }
        if chosen.isEmpty {
            throw .misuse(
                "\(format.name) has no place for what \(path.printable) is to hold",
                hint: "it holds \(format.kinds.map(\.name).sorted().joined(separator: ", ")); mcap "
                    + "holds everything")
        }
        for sensor in named where !format.kinds.contains(sensor.kind) {
            notices.post("left out: \(sensor.id): \(format.name) has no place for it")
        }
        return chosen
    }
}

/// One run of `record`.
private final class RecordingSession: Sendable {
    private let path: String
    private let recorder: Recorder
    private let sensors: SensorSet
    private let surroundings: Surroundings
    private let request: SamplingRequest
    private let table: Guarded<RecordTable>

    private static var period: Duration { .milliseconds(250) }

    init(
        path: String, recorder: Recorder, sensors: SensorSet, surroundings: Surroundings,
        request: SamplingRequest
    ) {
        self.path = path
        self.recorder = recorder
        self.sensors = sensors
        self.surroundings = surroundings
        self.request = request
        table = Guarded(RecordTable(path: path))
    }

    func run(
        _ chosen: [SensorDescriptor], for limit: Duration?
    ) async throws(CommandFailure) -> ExitCode {
        let isTable = surroundings.terminal() != nil
        if isTable {
            surroundings.notices.divert { [self] message in table.withLock { $0.tell(message) } }
        }
        await withTaskGroup(of: Bool.self) { [self] group in
            group.addTask { [self] in
                await open(chosen)
                await recorder.ended()
                return true
            }
            if let limit {
                group.addTask { [self] in await surroundings.clock.pause(for: limit) }
            }
            group.addTask { [self] in
                if isTable { await draw() } else { await tellStatuses() }
                return false
            }
            _ = await group.next()
            group.cancelAll()
        }
        var failure: RecordingError?
        do throws(RecordingError) { try await recorder.stop() } catch { failure = error }
        surroundings.notices.divert(to: nil)
        await surroundings.output.drained()
        return try tell(failure)
    }

    /// Opens the sensors; one that cannot be opened does not keep the others.
    private func open(_ chosen: [SensorDescriptor]) async {
        for descriptor in chosen { recorder.announce(descriptor, request) }
        for descriptor in chosen {
            if Task.isCancelled || recorder.isOver { return }
            do throws(SensorError) {
                try await open(descriptor.kind.readingType, descriptor.id)
            } catch {
                surroundings.notices.postLast("\(error)")
            }
        }
    }

    private func open<Reading: PrintableReading>(
        _: Reading.Type, _ id: SensorID
    ) async throws(SensorError) {
        guard let sensor = sensors.registry.sensor(id, of: Reading.self) else {
            throw .disconnected(id, reason: "it left the machine", hint: "plug it in again")
        }
        try await recorder.record(sensor, request)
    }

    // MARK: While it runs

    private func draw() async {
        let screen = surroundings.screen
        await screen.enter()
        repeat {
            let terminal = surroundings.terminal() ?? Terminal(columns: 80, rows: 24)
            let progress = recorder.progress
            let lines = table.withLock { table in
                table.update(progress)
                return table.lines(for: terminal)
            }
            await screen.draw(lines)
        } while await surroundings.clock.pause(for: Self.period)
        await screen.leave()
    }

    /// Tells what sensors say of themselves, where there is no table.
    private func tellStatuses() async {
        repeat {
            for sensor in recorder.progress.sensors {
                if let status = sensor.status { surroundings.notices.post(status, of: sensor.id) }
            }
        } while await surroundings.clock.pause(for: Self.period)
    }

    // MARK: At its end

    private func tell(_ failure: RecordingError?) throws(CommandFailure) -> ExitCode {
        let progress = recorder.progress
        let count = progress.readings
        surroundings.notices.post(
            "\(path.printable): \(count) \(count == 1 ? "reading" : "readings") in "
                + "\(progress.elapsed.clockText), \(progress.byteCount.sizeText)")
        for sensor in progress.sensors {
            var parts = ["\(sensor.readings) \(sensor.readings == 1 ? "reading" : "readings")"]
            if sensor.lost > 0 { parts.append("\(sensor.lost) lost") }
            if let error = sensor.error { parts.append("ended: \(error.reason)") }
            surroundings.notices.post("  \(sensor.id): \(parts.joined(separator: ", "))")
        }
        if let failure { throw CommandFailure(failure) }
        // A file without a single reading, and sensors that say why, is no success.
        if count == 0, let error = progress.sensors.compactMap(\.error).first {
            return ExitCode(error)
        }
        return .success
    }
}
