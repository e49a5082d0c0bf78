public import Sensorium

/// Turns gpsd's JSON, in pieces of any size, into readings.
///
/// It does no I/O and never waits: whoever feeds it says when the bytes came, and when an epoch has been
/// open for long enough. A line that cannot be used is counted and left out, and costs nothing else.
/// Source: gpsd_json(5), releases 3.17 to 3.27.
public struct GPSDDecoder {
    /// What a line gives.
    public enum Output: Sendable {
        /// A position: one for each measurement, however many reports it took.
        case location(LocationFix)
        /// The satellites in view.
        case satellites(Satellites)
        /// How the receiver's vehicle is turned.
        case attitude(Attitude)
        /// Which way the receiver's vehicle points.
        case heading(Heading)
        /// The receiver works and has no position.
        case noFix
        /// gpsd's greeting, with its release.
        case greeting(release: String)
        /// The receivers that gpsd has open, by path.
        case receivers([String])
        /// A receiver that was taken away.
        case receiverGone(String)
        /// Whether gpsd sends reports to us.
        case watching(Bool)
        /// gpsd says that it did not understand us, or that something is wrong with it.
        case complaint(String)
        /// Something worth telling a person, once.
        case diagnostic(String)
    }

    /// Why a line is left out.
    public enum Rejection: String, Sendable, Hashable, CaseIterable {
        /// It ends too early.
        case truncated
        /// It is not JSON.
        case syntax
        /// A value is of another type than its name promises.
        case type
        /// It is a JSON object without a class, which says what a report is.
        case classless
        /// It is nested too deeply.
        case depth
        /// It is longer than any report.
        case overlong
        /// An NMEA or AIS sentence amid the JSON.
        case nmea
        /// No text at all.
        case noise
        /// A position that is not on the Earth.
        case implausible
    }

    /// How many lines were left out, by reason.
    public private(set) var rejected: [Rejection: Int] = [:]
    /// How many reports were of a class that has nothing for us, such as TOFF.
    public private(set) var skipped = 0
    /// How many reports came from receivers other than the chosen one.
    public private(set) var foreign = 0

    /// When the last report of a receiver came, of the chosen one where one was; nil where none has.
    private(set) var lastReport: SensorInstant?

    /// How many reports came after the fix of their epoch was given out.
    public var late: Int { assembler.lateCount }

    private let clock: any SensorClock
    private let mapping: ClockMapping
    private let wanted: String?
    private var framer = LineFramer()
    private var parser = ReportParser()
    private var assembler = FixAssembler()
    private var chosen = ReceiverChoice()
    /// A compass is often another device than the receiver.
    private var compass = ReceiverChoice()
    private var hasToldOfGap = false
    /// The latest of the times that were mapped.
    private var newest: ReadingTime?
    private var fixTimes = OrderedTimes()
    private var listTimes = OrderedTimes()
    private var attitudeTimes = OrderedTimes()

    /// Nanoseconds; a polled report that is older is no news.
    private static var recent: UInt64 { 5_000_000_000 }

    /// Makes a decoder.
    ///
    /// - Parameters:
    ///   - clock: maps UTC to boot time.
    ///   - device: the path of the receiver to listen to; by default the first that has a
    ///     position, and another one when that has none for 10 s.
    public init(clock: any SensorClock = SystemClock(), device: String? = nil) {
        self.clock = clock
        mapping = ClockMapping(clock: clock)
        wanted = device
    }

    /// Decodes the next bytes, and adds what they give to `outputs`.
    public mutating func decode(
        _ bytes: UnsafeBufferPointer<UInt8>, arrivedAt arrival: SensorInstant,
        into outputs: inout [Output]
    ) {
        // The framer is taken out, so that it can be used while the rest of this is.
        var framer = self.framer
        self.framer = LineFramer()
        let before = framer.overlongCount
        framer.add(bytes) { line in decode(line: line, arrival, &outputs) }
        count(.overlong, framer.overlongCount - before)
        self.framer = framer
    }

    /// Decodes the next bytes, and gives what they give.
    public mutating func decode(_ bytes: [UInt8], arrivedAt arrival: SensorInstant) -> [Output] {
        var outputs: [Output] = []
        bytes.withUnsafeBufferPointer { decode($0, arrivedAt: arrival, into: &outputs) }
        return outputs
    }

    /// The fixes whose reports began to come at `instant` or before: their epochs are over.
    public mutating func closeEpochs(arrivedBy instant: SensorInstant) -> [Output] {
        var outputs: [Output] = []
        for device in assembler.due(by: instant) { finish(device, &outputs) }
        return outputs
    }

    /// When the reports of the oldest open epoch began to come; nil where none is open.
    public var oldestOpenEpoch: SensorInstant? { assembler.oldestArrival }

    /// Ends the input: what is complete is given out.
    ///
    /// - Parameter isFile: whether a last line without a line end is whole, as in a file; on a broken
    ///   connection it is half a line and is forgotten.
    public mutating func finish(isFile: Bool = false) -> [Output] {
        var outputs: [Output] = []
        if isFile {
            var framer = self.framer
            framer.finish { line in decode(line: line, clock.now, &outputs) }
        }
        framer.reset()
        for device in assembler.due(by: SensorInstant(nanoseconds: .max)) {
            finish(device, &outputs)
        }
        chosen.reset()
        compass.reset()
        lastReport = nil
        assembler.resetTrust()
        hasToldOfGap = false
        newest = nil
        fixTimes = OrderedTimes()
        listTimes = OrderedTimes()
        attitudeTimes = OrderedTimes()
        return outputs
    }

    // MARK: Lines

    private mutating func decode(
        line: UnsafeBufferPointer<UInt8>, _ arrival: SensorInstant, _ outputs: inout [Output]
    ) {
        guard let first = line.first else { return }
        switch first {
        case 0x7b: break
        case 0x24, 0x21: return count(.nmea)
        default: return count(.noise)
        }
        do throws(JSONFault) {
            take(try parser.parse(line), arrival, &outputs)
        } catch {
            switch error {
            case .truncated: count(.truncated)
            case .syntax: count(.syntax)
            case .unexpectedType: count(.type)
            case .noClass: count(.classless)
            case .tooDeep: count(.depth)
            }
        }
    }

    private mutating func count(_ reason: Rejection, _ number: Int = 1) {
        if number > 0 { rejected[reason, default: 0] += number }
    }

    private mutating func take(
        _ report: GPSDReport, _ arrival: SensorInstant, _ outputs: inout [Output]
    ) {
        if let device = report.device, isWanted(device) != false { lastReport = arrival }
        switch report {
        case .position: take(parser.lastPosition, arrival, &outputs)
        case .sky(let report): take(report, arrival, &outputs)
        case .attitude(let report): take(report, arrival, &outputs)
        case .noise(let report): if isOurs(report.device) { assembler.add(report) }
        case .version(let release): outputs.append(.greeting(release: release))
        case .devices(let list):
            outputs.append(.receivers(list.filter(\.isActive).map(\.path)))
        case .device(let device): take(device, &outputs)
        case .watch(let isEnabled):
            if let isEnabled { outputs.append(.watching(isEnabled)) }
        case .error(let message): outputs.append(.complaint(message))
        case .poll(let report): take(report, arrival, &outputs)
        case .skipped: skipped += 1
        }
    }

    private mutating func take(
        _ report: PositionReport, _ arrival: SensorInstant, _ outputs: inout [Output]
    ) {
        let isOurs =
            isWanted(report.device)
            ?? chosen.admits(report.device, givesSomething: report.hasPosition, at: arrival)
        guard isOurs else {
            foreign += 1
            return
        }
        guard report.hasPosition else {
            // Whatever else a report without a fix holds, its position is an old one.
            if assembler.mustClose(before: report) { finish(report.device, &outputs) }
            assembler.takeBack(report.device)
            return outputs.append(.noFix)
        }
        guard abs(report.latitude) <= 90, abs(report.longitude) <= 180 else {
            return count(.implausible)
        }
        if assembler.mustClose(before: report) { finish(report.device, &outputs) }
        assembler.add(report, at: arrival)
        // Without a time nothing can tell two epochs apart, so each report is one.
        if report.time == nil { finish(report.device, &outputs) }
    }

    /// Takes of an answer to `?POLL` what is news: gpsd repeats in it the last that it knows, however
    /// old that is.
    private mutating func take(
        _ poll: PollReport, _ arrival: SensorInstant, _ outputs: inout [Output]
    ) {
        guard let now = poll.time else { return }
        func isRecent(_ time: Int64?) -> Bool {
            time.map { (now &- $0).magnitude <= Self.recent } ?? false
        }
        for position in poll.positions where isRecent(position.time) {
            if let time = position.time, time >= assembler.stamp(position.device)?.utc ?? .min {
                take(position, arrival, &outputs)
            }
        }
        for sky in poll.skies where isRecent(sky.time) { take(sky, arrival, &outputs) }
    }

    private mutating func take(
        _ report: SkyReport, _ arrival: SensorInstant, _ outputs: inout [Output]
    ) {
        guard isOurs(report.device) else {
            foreign += 1
            return
        }
        // A report without a list says nothing of the satellites; the last list stays true.
        guard let list = report.satellites else { return }
        let reading = Satellites(
            time: listTimes.next(time(report.time, arrival, &outputs)), inView: list,
            dilution: report.dilution)
        assembler.use(
            satellites: report.usedCount ?? reading.usedCount, of: report.device, at: arrival)
        outputs.append(.satellites(reading))
    }

    private mutating func take(
        _ report: AttitudeReport, _ arrival: SensorInstant, _ outputs: inout [Output]
    ) {
        let (heading, magnetic) = (report.heading.ifDegrees, report.magneticHeading.ifDegrees)
        let isOurs =
            isWanted(report.device)
            ?? compass.admits(
                report.device, givesSomething: heading != nil || magnetic != nil, at: arrival)
        guard isOurs else {
            foreign += 1
            return
        }
        let time = attitudeTimes.next(time(report.time, arrival, &outputs))
        if let heading = Heading(time: time, trueNorth: heading, magneticNorth: magnetic) {
            outputs.append(.heading(heading))
        }
        guard let heading else { return }
        guard !report.pitch.isNaN, !report.roll.isNaN else { return }
        if let attitude = Attitude(
            time: time, heading: heading, pitch: report.pitch, roll: report.roll)
        {
            outputs.append(.attitude(attitude))
        }
    }

    private mutating func take(_ device: DeviceReport, _ outputs: inout [Output]) {
        guard !device.isActive else { return outputs.append(.receivers([device.path])) }
        if let current = chosen.current {
            guard parser.name(of: current.device) == device.path else { return }
            finish(current.device, &outputs)
            chosen.reset()
        } else if let wanted, wanted != device.path {
            return
        }
        outputs.append(.receiverGone(device.path))
    }

    // MARK: Which receiver

    /// Whether a report is of the receiver that was asked for; nil where none was.
    private func isWanted(_ device: DeviceNumber) -> Bool? {
        wanted.map { device == 0 || parser.name(of: device) == $0 }
    }

    /// Whether a report is of the receiver whose positions are used.
    private func isOurs(_ device: DeviceNumber) -> Bool {
        isWanted(device) ?? chosen.current.map { $0.device == device } ?? true
    }

    // MARK: Fixes and their time

    /// Closes the epoch of a receiver, if one is open, and gives its fix out.
    @inline(__always)
    private mutating func finish(_ device: DeviceNumber, _ outputs: inout [Output]) {
        guard assembler.isOpen(device), let stamp = assembler.stamp(device) else { return }
        let time = fixTimes.next(time(stamp.utc, stamp.arrival, &outputs))
        outputs.append(.location(assembler.close(device, at: time)))
    }

    private mutating func time(
        _ utc: Int64?, _ arrival: SensorInstant, _ outputs: inout [Output]
    ) -> ReadingTime {
        guard let utc else { return ReadingTime(arrival, source: .arrival) }
        // All that is of one time gets one instant: reading the clocks twice would tell them apart.
        if let newest, newest.utcNanoseconds == utc { return newest }
        let outcome = mapping.map(
            ClockTime(nanoseconds: utc, domain: .realtime), arrival: arrival)
        switch outcome {
        case .mapped(let time): return inOrder(time, utc)
        case .arrival(let time, because: let reason):
            if !hasToldOfGap {
                hasToldOfGap = true
                outputs.append(.diagnostic(reason.description))
            }
            return time
        }
    }

    /// Lets the jitter of reading two clocks turn no order around.
    private mutating func inOrder(_ time: ReadingTime, _ utc: Int64) -> ReadingTime {
        var time = time
        guard let before = newest, let last = before.utcNanoseconds else {
            newest = time
            return time
        }
        if utc > last { time.instant = max(time.instant, before.instant) }
        // A step back of more than a second is a log that is played again.
        if utc > last || last - utc > 1_000_000_000 { newest = time }
        return time
    }
}

extension Double {
    /// A direction from 0 to 360; nil for anything else.
    fileprivate var ifDegrees: Double? { (0...360).contains(self) ? self : nil }
}

extension Attitude {
    /// Makes an attitude of a vehicle's angles, in degrees: `heading` clockwise from true north,
    /// `pitch` with the bow up positive, `roll` with the starboard side down positive.
    ///
    /// The device frame lies in the vehicle with x to starboard, y to the bow and z up.
    init?(time: ReadingTime, heading: Double, pitch: Double, roll: Double) {
        // Half angles about z (against the heading, which runs clockwise), then x, then y.
        let half = Double.pi / 360
        let (yaw, pitch, roll) = (-heading * half, pitch * half, roll * half)
        let (cz, sz) = (yaw.cosine, yaw.sine)
        let (cx, sx) = (pitch.cosine, pitch.sine)
        let (cy, sy) = (roll.cosine, roll.sine)
        self.init(
            time: time, w: cz * cx * cy - sz * sx * sy, x: cz * sx * cy - sz * cx * sy,
            y: cz * cx * sy + sz * sx * cy, z: sz * cx * cy + cz * sx * sy)
    }
}
