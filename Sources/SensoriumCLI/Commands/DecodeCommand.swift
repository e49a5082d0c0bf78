import GPSDPlugin
import Sensorium

/// `sensorium decode`: recorded or piped bytes, turned into readings without a device.
enum DecodeCommand {
    static let command = Command(
        name: "decode",
        summary: "Turns bytes from a file or standard input into readings.",
        commands: [gpsd, nmea]
    )

    private static let gpsd = Command(
        name: "gpsd",
        summary: "Decodes what gpsd sends to its clients.",
        discussion: [
            "Positions, satellites, headings and attitudes are printed as 'sensorium watch' prints "
                + "them. Lines that cannot be used are counted by reason on standard error. A time "
                + "that is more than 2 s from this machine's clock, as in any recording, is in 'utc' "
                + "only; 't' is then the time of decoding, and 'timeSource' is \"arrival\".",
            "Reports that belong to one measurement become one position: when a report of another "
                + "time comes, when nothing came for 100 ms, or at the end.",
        ],
        arguments: [
            Argument(
                "FILE", "gpsd's JSON lines; standard input where there is none, or it is -.",
                .optional, completion: .file)
        ],
        options: [StreamOptions.json.spec],
        examples: [
            .init("sensorium decode gpsd recording.json --json", "Readings as JSON lines."),
            .init("gpspipe -w | sensorium decode gpsd", "What gpsd says now."),
            .init(
                "sensorium decode gpsd log.json --set gpsd.device=/dev/ttyUSB1",
                "One receiver of several."),
        ]
    ) { invocation, surroundings throws(CommandFailure) in
        let settings = try invocation.settings(in: surroundings.environment)
        if invocation.words.first == "" {
            throw .misuse(
                "FILE is empty", hint: "name a file, or write - for standard input")
        }
        let input = try surroundings.openInput(invocation.words.first)
        var decoding = GPSDDecoding(
            decoder: GPSDDecoder(clock: surroundings.clock, device: settings["gpsd.device"]),
            surroundings: surroundings, isJSON: invocation[StreamOptions.json])
        return try await decoding.run(input)
    }
}

/// One run of `decode gpsd`.
private struct GPSDDecoding {
    var decoder: GPSDDecoder
    let surroundings: Surroundings
    let isJSON: Bool
    private var readings = 0

    /// How long an epoch may be open: gpsd sends all reports of one within it.
    private static let epochLimit = Duration.milliseconds(100)

    init(decoder: GPSDDecoder, surroundings: Surroundings, isJSON: Bool) {
        self.decoder = decoder
        self.surroundings = surroundings
        self.isJSON = isJSON
    }

    mutating func run(_ input: any ByteSource) async throws(CommandFailure) -> ExitCode {
        let clock = surroundings.clock
        reading: while !Task.isCancelled {
            let due = decoder.oldestOpenEpoch?.advanced(by: Self.epochLimit)
            switch try await input.next(within: due.map { clock.now.duration(to: $0) }) {
            case .bytes(let bytes):
                await print(decoder.decode(bytes, arrivedAt: clock.now))
            case .silence:
                let start = clock.now.advanced(by: .zero - Self.epochLimit)
                await print(decoder.closeEpochs(arrivedBy: start))
            case .end:
                break reading
            }
        }
        // Where the command was asked to end, the last line is not bad but not yet read.
        await print(decoder.finish(isFile: !Task.isCancelled))
        return summary()
    }

    private mutating func print(_ outputs: [GPSDDecoder.Output]) async {
        for output in outputs {
            switch output {
            case .location(let fix): await print(fix)
            case .satellites(let satellites): await print(satellites)
            case .attitude(let attitude): await print(attitude)
            case .heading(let heading): await print(heading)
            case .noFix:
                surroundings.notices.post(
                    SensorStatus(.searching, reason: "the receiver has no fix"), of: Self.location)
            case .receiverGone(let path):
                surroundings.notices.post("\(Self.plugin): the receiver \(path) is gone")
            case .complaint(let text): surroundings.notices.post("\(Self.plugin) says: \(text)")
            case .diagnostic(let text): surroundings.notices.post("\(Self.plugin): \(text)")
            case .greeting, .receivers, .watching: break
            }
        }
    }

    private mutating func print<Reading: PrintableReading>(_ reading: Reading) async {
        readings += 1
        if Reading.kind == .location {
            surroundings.notices.post(SensorStatus(.running), of: Self.location)
        }
        let id = SensorID("\(Self.plugin)/\(Reading.kind.name)")
        await surroundings.output.write(
            isJSON ? ReadingLine.json(reading, of: id) : ReadingLine.text(reading, of: id))
    }

    private static let plugin = GPSD.manifest.id
    private static let location = SensorID("\(plugin)/location")

    /// Tells what was left out; the whole input was bad where nothing else was in it.
    private func summary() -> ExitCode {
        let reasons = GPSDDecoder.Rejection.allCases.compactMap { reason in
            decoder.rejected[reason].map { (reason, $0) }
        }
        let count = reasons.reduce(0) { $0 + $1.1 }
        var text = "\(readings) \(readings == 1 ? "reading" : "readings")"
        text += ", \(count) \(count == 1 ? "line" : "lines") rejected"
        for (index, (reason, count)) in reasons.enumerated() {
            text += "\(index == 0 ? ": " : ", ")\(count) \(reason.words)"
        }
        if decoder.foreign > 0 { text += "; \(decoder.foreign) reports of other receivers" }
        if decoder.late > 0 { text += "; \(decoder.late) reports came too late for their epoch" }
        surroundings.notices.post(text)
        return readings == 0 && count > 0 ? .badData : .success
    }
}

extension GPSDDecoder.Rejection {
    /// What is wrong with such lines.
    fileprivate var words: String {
        switch self {
        case .truncated: "cut off"
        case .syntax: "no JSON"
        case .type: "with a value of the wrong type"
        case .classless: "without a class"
        case .depth: "nested too deeply"
        case .overlong: "too long"
        case .nmea: "of NMEA"
        case .noise: "of noise"
        case .implausible: "with a position that is not on the Earth"
        }
    }
}
