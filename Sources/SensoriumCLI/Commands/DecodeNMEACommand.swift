import NMEAPlugin
import Sensorium

extension DecodeCommand {
    static let nmea = Command(
        name: "nmea",
        summary: "Decodes NMEA 0183, as receivers send and programs log it.",
        discussion: [
            "Positions, satellites and headings are printed as 'sensorium watch' prints them. "
                + "Sentences that cannot be used are counted by reason on standard error. A time "
                + "that is more than 2 s from this machine's clock, as in any recording, is in 'utc' "
                + "only; 't' is then the time of decoding, and 'timeSource' is \"arrival\".",
            "Sentences of one time of day become one position: when a sentence of another time "
                + "comes, when nothing came for 100 ms, or at the end. A time without a date gets the "
                + "day of the last date, or the day within 12 hours of this machine's clock.",
        ],
        arguments: [
            Argument(
                "FILE", "sentences, a line each; standard input where there is none, or it is -.",
                .optional, completion: .file)
        ],
        options: [StreamOptions.json.spec],
        examples: [
            .init("sensorium decode nmea walk.nmea --json", "Readings as JSON lines."),
            .init("gpspipe -r | sensorium decode nmea", "What gpsd's receivers say now."),
            .init(
                "sensorium decode nmea log.txt --set nmea.checksum=optional",
                "Sentences without checksums, too."),
        ]
    ) { invocation, surroundings throws(CommandFailure) in
        let settings = try invocation.settings(in: surroundings.environment)
        let input = try surroundings.openInput(invocation.words.first)
        let decoder = NMEADecoder(
            clock: surroundings.clock, requiresChecksum: settings["nmea.checksum"] != "optional",
            correctsRollover: settings["nmea.week-rollover"] == "correct")
        var decoding = NMEADecoding(
            decoder: decoder, surroundings: surroundings, isJSON: invocation[StreamOptions.json])
        return try await decoding.run(input)
    }
}

/// One run of `decode nmea`.
private struct NMEADecoding {
    var decoder: NMEADecoder
    let surroundings: Surroundings
    let isJSON: Bool
    private var readings = 0

    /// How long the input may be quiet within an epoch.
    private static let silence = Duration.milliseconds(100)

    init(decoder: NMEADecoder, surroundings: Surroundings, isJSON: Bool) {
        self.decoder = decoder
        self.surroundings = surroundings
        self.isJSON = isJSON
    }

    mutating func run(_ input: any ByteSource) async throws(CommandFailure) -> ExitCode {
        let clock = surroundings.clock
        reading: while !Task.isCancelled {
            let due = decoder.quietSince?.advanced(by: Self.silence)
            switch try await input.next(within: due.map { clock.now.duration(to: $0) }) {
            case .bytes(let bytes):
                await print(decoder.decode(bytes, arrivedAt: clock.now))
            case .silence:
                let start = clock.now.advanced(by: .zero - Self.silence)
                await print(decoder.closeEpoch(quietSince: start))
            case .end:
                break reading
            }
        }
        // Where the command was asked to end, the last line is not bad but not yet read.
        await print(decoder.finish(isFile: !Task.isCancelled))
        return summary()
    }

    private mutating func print(_ outputs: [NMEADecoder.Output]) async {
        for output in outputs {
            switch output {
            case .location(let fix): await print(fix)
            case .satellites(let satellites): await print(satellites)
            case .heading(let heading): await print(heading)
            case .noFix:
                surroundings.notices.post(
                    SensorStatus(.searching, reason: "the receiver has no fix"), of: Self.location)
            case .diagnostic(let text): surroundings.notices.post("\(Self.plugin): \(text)")
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

    private static let plugin = NMEA.manifest.id
    private static let location = SensorID("\(plugin)/location")

    /// Tells what was left out; the whole input was bad where nothing else was in it.
    private func summary() -> ExitCode {
        let reasons = NMEADecoder.Rejection.allCases.compactMap { reason in
            decoder.rejected[reason].map { (reason, $0) }
        }
        let count = reasons.reduce(0) { $0 + $1.1 }
        var text = "\(readings) \(readings == 1 ? "reading" : "readings")"
        text += ", \(count) \(count == 1 ? "sentence" : "sentences") rejected"
        for (index, (reason, count)) in reasons.enumerated() {
            text += "\(index == 0 ? ": " : ", ")\(count) \(reason.words)"
        }
        if decoder.proprietary > 0 { text += "; \(decoder.proprietary) of makers' own" }
        if decoder.skipped > 0 { text += "; \(decoder.skipped) of other kinds" }
        if decoder.late > 0 { text += "; \(decoder.late) came too late for their epoch" }
        surroundings.notices.post(text)
        return readings == 0 && count > 0 ? .badData : .success
    }
}

extension NMEADecoder.Rejection {
    /// What is wrong with such sentences.
    fileprivate var words: String {
        switch self {
        case .checksum: "with a wrong checksum"
        case .noChecksum: "without a checksum"
        case .interrupted: "cut off by the next"
        case .incomplete: "with too few fields"
        case .malformed: "with a field that cannot be read"
        case .implausible: "with a position that is not on the Earth"
        case .overlong: "too long"
        case .noise: "of noise"
        }
    }
}
