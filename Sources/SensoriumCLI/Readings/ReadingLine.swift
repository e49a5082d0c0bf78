import Sensorium

/// A reading as one line.
enum ReadingLine {
    /// A JSON line.
    ///
    /// - Parameter rate: readings a second, where that is worth saying.
    static func json(
        _ reading: some PrintableReading, of sensor: SensorID, rate: Double? = nil
    ) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            write(reading, of: sensor, to: &json)
            json.member("rate", rate.map { ($0 * 100).rounded() / 100 })
        }
        json.newLine()
        return json.bytes
    }

    /// A line for people.
    ///
    /// - Parameter rate: readings a second, where that is worth saying.
    static func text(
        _ reading: some PrintableReading, of sensor: SensorID, rate: Double? = nil
    ) -> [UInt8] {
        let line = "\(seconds(reading.instant))  \(described(reading, of: sensor, rate: rate))\n"
        return Array(line.utf8)
    }

    /// A JSON line of two readings, each under its kind; the second of two of a kind under its kind
    /// and a 2.
    static func json<First: PrintableReading, Second: PrintableReading>(
        _ pair: Joined<First, Second>, of first: SensorID, and second: SensorID
    ) -> [UInt8] {
        let name = Second.kind.name + (First.kind == Second.kind ? "2" : "")
        var json = JSONWriter()
        json.object { json in
            json.member(First.kind.name, object: { write(pair.first, of: first, to: &$0) })
            json.member(name, object: { write(pair.second, of: second, to: &$0) })
            // Not inSeconds, which may be off in the last digit and then prints all seventeen.
            json.member("skew", Double(pair.skew.wholeNanoseconds) / 1e9)
        }
        json.newLine()
        return json.bytes
    }

    /// A line of two readings for people.
    static func text<First: PrintableReading, Second: PrintableReading>(
        _ pair: Joined<First, Second>, of first: SensorID, and second: SensorID
    ) -> [UInt8] {
        let milliseconds = pair.skew.inSeconds * 1000
        let skew = (milliseconds >= 0 ? "+" : "") + milliseconds.fixed(1)
        let line =
            "\(seconds(pair.first.instant))  \(described(pair.first, of: first))"
            + " | \(described(pair.second, of: second)) | skew \(skew) ms\n"
        return Array(line.utf8)
    }

    // MARK: Inside

    private static func write(
        _ reading: some PrintableReading, of sensor: SensorID, to json: inout JSONWriter
    ) {
        json.member("sensor", sensor.rawValue)
        json.member("kind", type(of: reading).kind.name)
        json.member("t", reading.instant.nanoseconds)
        let utc = reading.time.utcNanoseconds
        json.nullableMember("utc", utc.map { Timestamp(nanoseconds: $0).description })
        for (name, isSet) in reading.marks where isSet { json.member(name, true) }
        if reading.time.source == .arrival { json.member("timeSource", "arrival") }
        reading.writeValues(to: &json)
    }

    private static func described(
        _ reading: some PrintableReading, of sensor: SensorID, rate: Double? = nil
    ) -> String {
        var text = sensor.rawValue.printable
        for field in reading.fields { text += "  \(field.text)" }
        let pace = rate.map { ["\($0.fixed(1)) Hz"] } ?? []
        let notes = reading.notes + pace + reading.warnings
        if !notes.isEmpty { text += "  (\(notes.joined(separator: ", ")))" }
        if let utc = reading.time.utcNanoseconds { text += "  at \(Timestamp(nanoseconds: utc))" }
        return text
    }

    /// Seconds since boot.
    private static func seconds(_ instant: SensorInstant) -> String {
        Duration.nanoseconds(instant.nanoseconds).secondsText(6)
    }
}

extension SensorReading {
    /// The members that are there only when they are true.
    fileprivate var marks: [(name: String, isSet: Bool)] {
        if flags.isEmpty { return [] }
        return [
            ("simulated", flags.contains(.simulated)),
            ("interpolated", flags.contains(.interpolated)),
            ("saturated", flags.contains(.saturated)),
            ("unscaled", flags.contains(.unscaled)),
            ("untrustedTime", flags.contains(.untrustedTime)),
        ]
    }

    /// What a reader must know before believing the values or the time, in a few words each.
    var warnings: [String] {
        var words: [String] = []
        if flags.contains(.simulated) { words.append("simulated") }
        if flags.contains(.interpolated) { words.append("interpolated") }
        if flags.contains(.saturated) { words.append("saturated") }
        if flags.contains(.unscaled) { words.append("unscaled") }
        if flags.contains(.untrustedTime) { words.append("time not trusted") }
        if time.source == .arrival { words.append("stamped on arrival") }
        return words
    }
}
