public import Sensorium

/// Turns NMEA 0183, in pieces of any size, into readings.
///
/// It does no I/O and never waits: whoever feeds it says when the bytes came, and when the line has been
/// quiet for long enough to end an epoch. A sentence that cannot be used is counted and left out, changes
/// nothing, and costs nothing else. Source: NMEA 0183, versions 2.0 to 4.11, and what receivers do.
public struct NMEADecoder {
    /// What sentences give.
    public enum Output: Sendable {
        /// A position: one for each measurement, however many sentences it took.
        case location(LocationFix)
        /// The satellites in view.
        case satellites(Satellites)
        /// Which way the vehicle points.
        case heading(Heading)
        /// The receiver works and has no position.
        case noFix
        /// Something worth telling a person, once.
        case diagnostic(String)
    }

    /// Why a sentence is left out.
    public enum Rejection: String, Sendable, Hashable, CaseIterable {
        /// Its checksum is not that of its bytes, or is none.
        case checksum
        /// It has no checksum.
        case noChecksum
        /// Another sentence begins in it.
        case interrupted
        /// Fields are missing at its end.
        case incomplete
        /// A field is not what the sentence has at that place.
        case malformed
        /// A position that is not on the Earth.
        case implausible
        /// It is longer than any sentence.
        case overlong
        /// Bytes that belong to no sentence.
        case noise
    }

    /// How many sentences were left out, by reason.
    public private(set) var rejected: [Rejection: Int] = [:]
    /// How many good sentences were used.
    public private(set) var accepted = 0
    /// How many good sentences have nothing for us, such as TXT, or AIS.
    public private(set) var skipped = 0
    /// How many good sentences were a maker's own, such as PUBX.
    public private(set) var proprietary = 0
    /// How many sentences came after the fix of their epoch was given out.
    public private(set) var late = 0

    /// When the last good sentence came, of any kind; nil where none has.
    private(set) var lastSentence: SensorInstant?
    /// When the last bytes came.
    private(set) var lastBytes: SensorInstant?

    private let clock: any SensorClock
    private let requiresChecksum: Bool
    private var framer = SentenceFramer()
    private var sentence = Sentence()
    private var epoch = Epoch()
    private var view = SatelliteView()
    private var times: EpochTime
    private var fixTimes = OrderedTimes()
    private var listTimes = OrderedTimes()
    /// The time of day of the last epoch that gave a fix.
    private var fixed = Sentence.unknown
    private var datum = ""

    /// Makes a decoder.
    ///
    /// - Parameters:
    ///   - clock: maps UTC to boot time, and gives the date where a receiver gives only a time of day.
    ///   - requiresChecksum: whether a sentence without a checksum is left out.
    ///   - correctsRollover: whether a date that is 1024 weeks behind `clock`, or a multiple of that, is
    ///     corrected. It is reported either way.
    public init(
        clock: any SensorClock = SystemClock(), requiresChecksum: Bool = true,
        correctsRollover: Bool = false
    ) {
        self.clock = clock
        self.requiresChecksum = requiresChecksum
        times = EpochTime(clock: clock, correctsRollover: correctsRollover)
    }

    /// Decodes the next bytes, and adds what they give to `outputs`.
    public mutating func decode(
        _ bytes: UnsafeBufferPointer<UInt8>, arrivedAt arrival: SensorInstant,
        into outputs: inout [Output]
    ) {
        if !bytes.isEmpty { lastBytes = arrival }
        // The framer is taken out, so that it can be used while the rest of this is.
        var framer = self.framer
        self.framer = SentenceFramer()
        let before = framer.overlongCount
        framer.add(bytes) { lines in decode(lines: lines, arrival, &outputs) }
        count(.overlong, framer.overlongCount - before)
        self.framer = framer
    }

    /// Decodes the next bytes, and gives what they give.
    public mutating func decode(_ bytes: [UInt8], arrivedAt arrival: SensorInstant) -> [Output] {
        var outputs: [Output] = []
        bytes.withUnsafeBufferPointer { decode($0, arrivedAt: arrival, into: &outputs) }
        return outputs
    }

    /// Ends the open epoch if no bytes came after `instant`: a receiver says all of one together.
    public mutating func closeEpoch(quietSince instant: SensorInstant) -> [Output] {
        var outputs: [Output] = []
        if let quiet = quietSince, quiet <= instant { finishEpoch(&outputs) }
        return outputs
    }

    /// Since when the line is quiet, while an epoch is open; nil where none is.
    public var quietSince: SensorInstant? { epoch.isOpen ? lastBytes : nil }

    /// Ends the input: what is complete is given out.
    ///
    /// - Parameter isFile: whether a last line without a line end is whole, as in a file; on a broken
    ///   connection it is half a line and is forgotten.
    public mutating func finish(isFile: Bool = false) -> [Output] {
        var outputs: [Output] = []
        if isFile {
            var framer = self.framer
            framer.finish { lines in decode(lines: lines, clock.now, &outputs) }
        }
        framer.reset()
        finishEpoch(&outputs)
        view.forget()
        times.reset()
        fixTimes = OrderedTimes()
        listTimes = OrderedTimes()
        fixed = Sentence.unknown
        lastSentence = nil
        lastBytes = nil
        return outputs
    }

    // MARK: Sentences

    private mutating func decode(
        lines: UnsafeBufferPointer<UInt8>, _ arrival: SensorInstant, _ outputs: inout [Output]
    ) {
        guard var at = lines.baseAddress else { return }
        let end = at + lines.count
        while at < end {
            let first = at.pointee
            at += 1
            switch first {
            case 0x24, 0x21:
                let start = at
                let way = sentence.scan(&at, end)
                if at - start >= SentenceFramer.limit {
                    count(.overlong)
                } else {
                    take(way, isAIS: first == 0x21, arrival, &outputs)
                }
            case 0x0d, 0x0a: break
            default:
                let start = at - 1
                while at < end, !Sentence.isBorder(at.pointee) { at += 1 }
                // A TAG block (IEC 61162-450) stands before the sentence that it is about.
                let isTag = start.pointee == 0x5c && at[-1] == 0x5c && at - start > 1
                if !isTag, !Self.isBlank(start, at) { count(.noise) }
            }
        }
    }

    private static func isBlank(
        _ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
    ) -> Bool {
        UnsafeBufferPointer(start: start, count: end - start)
            .allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0 }
    }

    private mutating func count(_ reason: Rejection, _ number: Int = 1) {
        if number > 0 { rejected[reason, default: 0] += number }
    }

    @inline(__always)
    private mutating func take(
        _ end: Sentence.End, isAIS: Bool, _ arrival: SensorInstant, _ outputs: inout [Output]
    ) {
        switch end {
        case .checked: break
        case .unchecked where !requiresChecksum && sentence.count > 1: break
        case .unchecked: return count(.noChecksum)
        case .wrong: return count(.checksum)
        case .interrupted: return count(.interrupted)
        }
        let address = sentence.field(0)
        guard address.count >= 3, address.allSatisfy(Self.isOfAddress) else {
            return count(.malformed)
        }
        lastSentence = arrival
        if isAIS {
            skipped += 1
            return
        }
        guard address.count == 5,
            let type = SentenceType(
                rawValue: UInt32(address[2]) << 16 | UInt32(address[3]) << 8 | UInt32(address[4]))
        else {
            if address[0] == 0x50 { proprietary += 1 } else { skipped += 1 }
            return
        }
        do throws(FieldFault) {
            try take(type, UInt16(address[0]) << 8 | UInt16(address[1]), arrival, &outputs)
            accepted += 1
        } catch {
            switch error {
            case .malformed: count(.malformed)
            case .incomplete: count(.incomplete)
            case .implausible: count(.implausible)
            }
        }
    }

    /// Upper case and digits.
    private static func isOfAddress(_ byte: UInt8) -> Bool {
        byte &- 0x41 < 26 || byte &- 0x30 < 10
    }

    @inline(__always)
    private mutating func take(
        _ type: SentenceType, _ talker: Talker, _ arrival: SensorInstant,
        _ outputs: inout [Output]
    ) throws(FieldFault) {
        switch type {
        case .rmc: take(try .rmc(sentence, talker), arrival, &outputs)
        case .gga: take(try .gga(sentence, talker), arrival, &outputs)
        case .gns: take(try .gns(sentence, talker), arrival, &outputs)
        case .gll: take(try .gll(sentence, talker), arrival, &outputs)
        case .vtg: try takeVelocity(arrival)
        case .gsa:
            try view.addUsed(sentence, talker)
            epoch.open(at: arrival)
        case .gsv:
            try view.addView(sentence, talker)
            epoch.open(at: arrival)
        case .gst:
            guard sentence.count >= 9 else { throw .incomplete }
            let errors = try Epoch.Errors(sentence, from: 6)
            if begin(try sentence.timeOfDay(1), arrival, &outputs) {
                epoch.add(deviation: errors)
            }
        case .gbs:
            guard sentence.count >= 5 else { throw .incomplete }
            let errors = try Epoch.Errors(sentence, from: 2)
            if begin(try sentence.timeOfDay(1), arrival, &outputs) {
                epoch.add(expected: errors)
            }
        case .zda: try takeDate(arrival, &outputs)
        case .hdt, .hdm, .hdg, .ths:
            let time = ReadingTime(arrival, source: .arrival)
            if let heading = try Heading(type, sentence, at: time) {
                outputs.append(.heading(heading))
            }
        case .dtm: takeDatum(&outputs)
        }
    }

    // MARK: Epochs

    @inline(__always)
    private mutating func take(
        _ position: PositionSentence, _ arrival: SensorInstant, _ outputs: inout [Output]
    ) {
        if epoch.repeats(position) {
            finishEpoch(&outputs)
            epoch.open(at: arrival, time: position.time)
        } else if !begin(position.time, arrival, &outputs) {
            late += 1
            return
        }
        epoch.add(position)
    }

    /// Ends the open epoch, if it is of another time, and opens one of that time.
    ///
    /// - Returns: whether the sentence adds to it; not where the fix of that time was given out, though
    ///   the satellites that still come are of that time.
    @inline(__always)
    private mutating func begin(
        _ time: Int64, _ arrival: SensorInstant, _ outputs: inout [Output]
    ) -> Bool {
        let mustEnd = epoch.ends(before: time)
        if time >= 0, time == fixed,
            mustEnd || !epoch.isOpen || epoch.time < 0 || epoch.isLate
        {
            if !mustEnd { epoch.openLate(at: arrival, time: time) }
            return false
        }
        if mustEnd { finishEpoch(&outputs) }
        epoch.open(at: arrival, time: time)
        return true
    }

    private mutating func finishEpoch(_ outputs: inout [Output]) {
        guard epoch.isOpen else { return }
        epoch.close()
        let list = view.list()
        var dilution = view.dilution
        let (mode, used) = (view.mode, view.usedCount)
        view.reset()
        if list == nil, !epoch.hasFix {
            if epoch.isVoid { outputs.append(.noFix) }
            return
        }
        let outcome = times.map(
            epoch.time, day: epoch.day, arrival: epoch.arrival, isFix: epoch.hasFix)
        if let text = outcome.diagnostic { outputs.append(.diagnostic(text)) }
        if var fix = epoch.location(
            at: outcome.time, flags: outcome.flags, mode: mode, used: used)
        {
            fix.time = fixTimes.next(fix.time)
            fixed = epoch.time
            outputs.append(.location(fix))
        } else if epoch.isVoid {
            outputs.append(.noFix)
        }
        guard let list else { return }
        dilution.horizontal = dilution.horizontal ?? epoch.dilution
        outputs.append(
            .satellites(
                Satellites(
                    time: listTimes.next(outcome.time), inView: list, dilution: dilution,
                    flags: outcome.flags)))
    }

    // MARK: Other sentences

    /// VTG: courses from true and magnetic north, speeds in knots and km/h, mode.
    private mutating func takeVelocity(_ arrival: SensorInstant) throws(FieldFault) {
        guard sentence.count >= 9 else { throw .incomplete }
        let course = try sentence.direction(1)
        let knots = try sentence.number(5)
        let kilometres = try sentence.number(7)
        if knots < 0 || kilometres < 0 { throw .malformed }
        if try sentence.letter(9) == 0x4e { return }
        epoch.open(at: arrival)
        epoch.add(
            speed: knots.isNaN
                ? kilometres * PositionSentence.kilometrePerHour : knots * PositionSentence.knot,
            course: course)
    }

    /// ZDA: time, day, month, year.
    private mutating func takeDate(
        _ arrival: SensorInstant, _ outputs: inout [Output]
    ) throws(FieldFault) {
        guard sentence.count >= 5 else { throw .incomplete }
        let time = try sentence.timeOfDay(1)
        let (day, month, year) = try (sentence.count(2), sentence.count(3), sentence.count(4))
        let date = CivilDate(year: year, month: month, day: day)
        if time >= 0, begin(time, arrival, &outputs) {
            epoch.add(day: date?.daysSince1970 ?? Sentence.unknownDay)
        }
    }

    /// DTM: the datum that positions are in, and the one that it differs from.
    private mutating func takeDatum(_ outputs: inout [Output]) {
        let name = sentence.text(1)
        guard name != datum else { return }
        datum = name
        if !name.isEmpty, name != "W84" {
            outputs.append(
                .diagnostic(
                    "the receiver's positions are in the datum \(name), not in WGS 84; set it to W84"
                ))
        }
    }
}
