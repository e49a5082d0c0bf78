import Sensorium

/// `sensorium watch`: the readings of sensors as they come.
enum WatchCommand {
    private static let count = StreamOptions.count("readings or events, of all sensors together")
    private static let save = Option(
        "save", "FILE", PictureFile.form,
        "Save a camera's frame as a picture (.png, .jpg), or all its frames as a film (.y4m).")

    static let command = Command(
        name: "watch",
        summary: "Shows readings as they come.",
        discussion: [
            "On a terminal, a table with the course of each value; otherwise, and with --json, one "
                + "line per reading. Statuses, losses and failures go to standard error.",
            "A kind stands for every sensor of that kind, but for simulated ones only where no real "
                + "one is there. Without a word, all kinds are watched. A sensor that is plugged in "
                + "later is taken up where a word, or none, stands for it. The kinds are "
                + "\(SensorKind.allCases.map(\.name).joined(separator: ", ")).",
            "The words shake and orientation watch what is done with the device: each shake, and how it "
                + "is held, as the best accelerometer feels it, or the accelerometers that are named. "
                + "A shake is over after half a second of rest. These are lines also on a terminal.",
            "A line for people has the seconds since boot, the sensor, the values, and in brackets "
                + "what must be known before they are believed. A JSON line has 'sensor', 'kind', "
                + "'t' (CLOCK_BOOTTIME in nanoseconds), 'utc' (null where the source gave none) and "
                + "the values in SI units; 'simulated', 'interpolated', 'saturated', 'unscaled' and "
                + "'untrustedTime' are there only when true, and 'timeSource' is \"arrival\" where "
                + "the source's own time was missing or not plausible. Unknown values are left out. A "
                + "line of shake or orientation has 'event' in place of 'kind', and 'phase' (began, "
                + "ended, or cancelled where readings stopped) with 'strength' in m/s², or "
                + "'orientation' with 'previous'.",
            "A camera's line has the size of its frames, their format and their rate. A terminal with "
                + "colours shows the picture, too, unless NO_COLOR is set. With --save the best "
                + "camera is watched, or the one that is named: a picture is the first frame, or "
                + "with --count or --for the last one, and a film goes on until something ends it. "
                + "A camera's own JPEG is saved as it came.",
        ],
        arguments: [
            Argument(
                "SENSOR|KIND|MOTION",
                "A sensor's id, as 'sensorium list' shows it, a kind, or one of "
                    + "\(RecognizedMotion.words.joined(separator: " and ")).",
                .anyNumber, completion: .sensor(orWords: RecognizedMotion.words))
        ],
        options: [
            StreamOptions.rate.spec, count.spec, StreamOptions.duration.spec,
            StreamOptions.json.spec, save.spec, RecordingArguments.force.spec,
        ],
        examples: [
            .init("sensorium watch", "Everything there is."),
            .init("sensorium watch acceleration --rate 100", "All accelerometers, at 100 Hz."),
            .init("sensorium watch shake orientation", "What is done with the device."),
            .init(
                "sensorium watch camera --save now.png --count 30",
                "The thirtieth frame as a picture, when the camera has got used to the light."),
            .init(
                "sensorium watch gpsd/location --json --count 1",
                "The next position as one JSON line."),
        ]
    ) { invocation, surroundings throws(CommandFailure) in
        try await invocation.withSensors(surroundings) { sensors throws(CommandFailure) in
            var words = invocation.words
            let motions = RecognizedMotion.extract(from: &words)
            if let file = invocation[save] {
                return try await saveFrames(
                    to: file, words, isOnlyWatch: motions.isEmpty, invocation, sensors,
                    surroundings)
            }
            if !motions.isEmpty {
                let watch = try MotionWatch(
                    motions, of: words, sensors: sensors, surroundings: surroundings,
                    isJSON: invocation[StreamOptions.json], rate: invocation[StreamOptions.rate],
                    quota: Quota(invocation[count]))
                return await watch.run(
                    for: invocation[StreamOptions.duration].map { .seconds($0) })
            }
            let chosen = try sensors.all(words)
            var watch = Watch(
                chosen: chosen, sensors: sensors, surroundings: surroundings,
                isJSON: invocation[StreamOptions.json], rate: invocation[StreamOptions.rate],
                quota: Quota(invocation[count]))
            let changes = sensors.registry.changes
            watch.arrivals = Arrivals(changes: changes, words: words, first: chosen)
            return await watch.run(for: invocation[StreamOptions.duration])
        }
    }

    private static func saveFrames(
        to file: PictureFile, _ words: [String], isOnlyWatch: Bool, _ invocation: Invocation,
        _ sensors: SensorSet, _ surroundings: Surroundings
    ) async throws(CommandFailure) -> ExitCode {
        let camera = try words.count > 1 ? nil : sensors.one(words.first ?? SensorKind.camera.name)
        guard isOnlyWatch, let camera, camera.kind == .camera else {
            throw .misuse(
                "--save takes the frames of one camera, and nothing else",
                hint: "watch the others in a run of their own")
        }
        let isOpenEnded = invocation[count] == nil && invocation[StreamOptions.duration] == nil
        let takesOne = file.format.isPicture && isOpenEnded
        let saver = try FrameSaver(
            file, replaces: invocation[RecordingArguments.force], takesOne: takesOne)
        let watch = Watch(
            chosen: [camera], sensors: sensors, surroundings: surroundings,
            isJSON: invocation[StreamOptions.json], rate: invocation[StreamOptions.rate],
            quota: Quota(takesOne ? 1 : invocation[count]), saver: saver)
        let code = await watch.run(for: invocation[StreamOptions.duration])
        // What came before a camera was pulled out is saved all the same.
        do throws(CommandFailure) {
            for line in try await saver.finish() { surroundings.notices.post(line) }
        } catch {
            if code == .success { throw error }
        }
        return code
    }
}

/// One run of `watch`, or of `replay`.
struct Watch: Sendable {
    let chosen: [SensorDescriptor]
    let sensors: SensorSet
    let surroundings: Surroundings
    let isJSON: Bool
    let rate: Double?
    let quota: Quota
    /// Sensors that come later; nil where none can.
    var arrivals: Arrivals?
    /// Takes a camera's frames; nil where they are only watched.
    var saver: FrameSaver?

    func run(for seconds: Double?) async -> ExitCode {
        let losses = LossLedger(notices: surroundings.notices, clock: surroundings.clock)
        let isTable = !isJSON && surroundings.terminal() != nil
        let table = isTable ? LiveTable(chosen.map(\.id), in: surroundings) : nil
        if let table {
            surroundings.notices.divert { message in table.change { $0.tell(message) } }
        }
        let limit = seconds.map { Duration.seconds($0) }
        let code = await Self.run(for: limit, on: surroundings.clock, table) {
            await followAll(losses, table)
        }
        surroundings.notices.divert(to: nil)
        losses.settle()
        return code
    }

    /// Runs `work` beside the table, for no longer than `limit`.
    private static func run(
        for limit: Duration?, on clock: any SensorClock, _ table: LiveTable?,
        _ work: @escaping @Sendable () async -> ExitCode
    ) async -> ExitCode {
        await withTaskGroup(of: ExitCode?.self) { group in
            group.addTask { await work() }
            if let limit {
                group.addTask {
                    await clock.pause(for: limit)
                    return .success
                }
            }
            if let table {
                group.addTask {
                    await table.show()
                    return nil
                }
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first ?? .success
        }
    }

    private func followAll(_ losses: LossLedger, _ table: LiveTable?) async -> ExitCode {
        await withTaskGroup(of: Event.self) { group in
            for (row, sensor) in chosen.enumerated() {
                group.addTask { await follow(sensor, row, losses, table) }
            }
            var open = chosen.count
            var rows = chosen.count
            var code = ExitCode.success
            if let arrivals { group.addTask { .arrival(await arrivals.next()) } }
            for await event in group {
                switch event {
                case .end(let isDone, let failure):
                    open -= 1
                    if code == .success, let failure { code = failure }
                    // Nobody waits for what may never be plugged in.
                    if isDone || open == 0 { group.cancelAll() }
                case .arrival(let sensor?):
                    guard open > 0, let arrivals else { break }
                    surroundings.notices.post("\(sensor.id) arrived")
                    table?.change { $0.addRow(sensor.id) }
                    let row = rows
                    rows += 1
                    open += 1
                    group.addTask { await follow(sensor, row, losses, table) }
                    group.addTask { .arrival(await arrivals.next()) }
                case .arrival(nil): break
                }
            }
            return code
        }
    }

    /// What may happen while sensors are followed.
    private enum Event: Sendable {
        /// A sensor ended: whether because the quota is used up, and why else.
        case end(isDone: Bool, failure: ExitCode?)
        /// A sensor arrived; nil when none can any more.
        case arrival(SensorDescriptor?)
    }

    private func follow(
        _ descriptor: SensorDescriptor, _ row: Int, _ losses: LossLedger, _ table: LiveTable?
    ) async -> Event {
        do throws(SensorError) {
            let isDone = try await follow(
                descriptor.kind.readingType, descriptor.id, row, losses, table)
            return .end(isDone: isDone, failure: nil)
        } catch {
            surroundings.notices.postLast("\(error)")
            table?.change { $0.fail("ended: \(error.reason)", in: row) }
            return .end(isDone: false, failure: ExitCode(error))
        }
    }

    private func follow<Reading: PrintableReading>(
        _: Reading.Type, _ id: SensorID, _ row: Int, _ losses: LossLedger, _ table: LiveTable?
    ) async throws(SensorError) -> Bool {
        guard let sensor = sensors.registry.sensor(id, of: Reading.self) else {
            throw .disconnected(id, reason: "it left the machine", hint: "plug it in again")
        }
        // Frames are large, and old ones are worth nothing.
        let isCamera = Reading.kind == .camera
        let request = SamplingRequest(rate: rate, buffering: .newest(isCamera ? 8 : 8192))
        var meter = isCamera ? RateMeter() : nil
        for try await update in sensor.readings(request).updates {
            switch update {
            case .reading(let reading):
                meter?.count(reading.instant)
                if let frame = reading as? CameraFrame {
                    switch await save(frame, rate: sensor.grantedRate ?? meter?.hertz) {
                    case true?: break
                    case false?: continue
                    case nil: return true
                    }
                }
                let (passes, isLast) = quota.take()
                if passes { await show(reading, of: id, row, table, rate: meter?.hertz) }
                if isLast { return true }
            case .status(let status):
                if let table {
                    table.change { $0.report(status, in: row) }
                } else {
                    surroundings.notices.post(status, of: id)
                }
            case .lost(let loss):
                losses.add(loss, of: id)
                table?.change { $0.lose(loss.count, in: row) }
            }
        }
        return false
    }

    /// Saves a frame, if that is wanted.
    ///
    /// - Returns: whether it counts; nil where nothing can be saved any more, for which `finish` of the
    ///   saver says why.
    private func save(_ frame: CameraFrame, rate: Double?) async -> Bool? {
        guard let saver else { return true }
        return await saver.take(frame, rate: rate)
    }

    private func show<Reading: PrintableReading>(
        _ reading: Reading, of id: SensorID, _ row: Int, _ table: LiveTable?, rate: Double?
    ) async {
        if let table {
            table.change { $0.add(reading, to: row) }
        } else {
            let line =
                isJSON
                ? ReadingLine.json(reading, of: id, rate: rate)
                : ReadingLine.text(reading, of: id, rate: rate)
            await surroundings.output.write(line)
        }
    }
}
