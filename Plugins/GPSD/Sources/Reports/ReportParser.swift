import Sensorium

/// Turns a line into a report.
///
/// It keeps only the names of the devices that it has seen.
struct ReportParser {
    private(set) var devices: [String] = []
    private var deviceBytes: [[UInt8]] = []
    /// The device that was named last, which most reports name again.
    private var lastBytes: [UInt8] = []
    private var lastNumber: DeviceNumber = 0
    /// The TPV that was parsed last: kept here, so that it is not copied on its way.
    var lastPosition = PositionReport()
    /// The members of TPV.
    private var order = MemberOrder()

    /// More devices than this on one gpsd are noise; they all count as the last.
    private static var deviceLimit: Int { 64 }

    /// The kinds of lines, by the packed value of `class`.
    private enum Class {
        static let position = JSONText.name("TPV")
        static let sky = JSONText.name("SKY")
        static let attitude = JSONText.name("ATT")
        static let noise = JSONText.name("GST")
        static let version = JSONText.name("VERSION")
        static let devices = JSONText.name("DEVICES")
        static let device = JSONText.name("DEVICE")
        static let watch = JSONText.name("WATCH")
        static let error = JSONText.name("ERROR")
        static let poll = JSONText.name("POLL")
    }

    /// Parses one line.
    ///
    /// - Throws: `JSONFault` when it is no JSON object with a class, or a value is of a wrong type.
    mutating func parse(_ line: UnsafeBufferPointer<UInt8>) throws(JSONFault) -> GPSDReport {
        var scanner = JSONScanner(line)
        try scanner.enterObject()
        guard let first = try scanner.nextKey(isFirst: true) else {
            try scanner.finish()
            throw .noClass
        }
        var isFirst = false
        var name: UInt64
        if first == JSONText.name("class") {
            name = try scanner.string().packed
        } else {
            // gpsd puts the class first; others may not.
            name = try classAnywhere(line)
            scanner = JSONScanner(line)
            try scanner.enterObject()
            isFirst = true
        }
        let report: GPSDReport
        if name == Class.position {
            lastPosition = PositionReport()
            try position(&scanner, isFirst)
            report = .position(of: lastPosition.device)
        } else if name == Class.sky {
            report = .sky(try sky(&scanner, isFirst))
        } else {
            report = try other(name, &scanner, isFirst)
        }
        try scanner.finish()
        return report
    }

    private func classAnywhere(
        _ line: UnsafeBufferPointer<UInt8>
    ) throws(JSONFault) -> UInt64 {
        var scanner = JSONScanner(line)
        try scanner.enterObject()
        var isFirst = true
        while let key = try scanner.nextKey(isFirst: isFirst) {
            isFirst = false
            if key == JSONText.name("class") { return try scanner.string().packed }
            try scanner.skip()
        }
        try scanner.finish()
        throw .noClass
    }

    // MARK: TPV

    /// Parses a TPV into `lastPosition`, which the caller has emptied: that is faster than doing it here.
    @inline(__always)
    mutating func position(_ scanner: inout JSONScanner, _ first: Bool) throws(JSONFault) {
        var place = 0
        while true {
            let number: Int
            if place > 0 || !first, let member = order[place], scanner.step(over: member) {
                number = member.number
            } else {
                let start = scanner.place
                guard let key = try scanner.nextKey(isFirst: first && place == 0) else { break }
                number = Self.number(ofMember: key)
                if let text = scanner.text(since: start) {
                    order.remember(text, number, in: place)
                }
            }
            place += 1
            if number < PositionReport.valueCount {
                lastPosition.values[number] = try scanner.number() ?? .nan
                continue
            }
            switch number {
            case Self.deviceMember: lastPosition.device = try device(&scanner)
            case Self.modeMember: lastPosition.mode = try scanner.integer() ?? 0
            case Self.timeMember: lastPosition.time = try time(&scanner)
            case Self.statusMember: lastPosition.status = try scanner.integer()
            default: try scanner.skip()
            }
        }
    }

    // The numbers of the members of TPV that are no values of a `PositionReport`.
    private static var deviceMember: Int { 100 }
    private static var modeMember: Int { 101 }
    private static var timeMember: Int { 102 }
    private static var statusMember: Int { 103 }
    private static var otherMember: Int { 104 }

    /// The number of a member of TPV: the place of its value, or one of those above.
    @inline(never)
    private static func number(ofMember key: UInt64) -> Int {
        switch key {
        case JSONText.name("device"): deviceMember
        case JSONText.name("mode"): modeMember
        case JSONText.name("time"): timeMember
        case JSONText.name("status"): statusMember
        case JSONText.name("lat"): PositionReport.Value.latitude.rawValue
        case JSONText.name("lon"): PositionReport.Value.longitude.rawValue
        case JSONText.name("altHAE"): PositionReport.Value.altitudeEllipsoid.rawValue
        case JSONText.name("altMSL"): PositionReport.Value.altitudeMSL.rawValue
        case JSONText.name("alt"): PositionReport.Value.altitude.rawValue
        case JSONText.name("epx"): PositionReport.Value.longitudeError.rawValue
        case JSONText.name("epy"): PositionReport.Value.latitudeError.rawValue
        case JSONText.name("epv"): PositionReport.Value.verticalError.rawValue
        case JSONText.name("track"): PositionReport.Value.track.rawValue
        case JSONText.name("speed"): PositionReport.Value.speed.rawValue
        case JSONText.name("climb"): PositionReport.Value.climb.rawValue
        case JSONText.name("eps"): PositionReport.Value.speedError.rawValue
        case JSONText.name("epd"): PositionReport.Value.trackError.rawValue
        case JSONText.name("eph"): PositionReport.Value.horizontalError.rawValue
        case JSONText.name("geoidSep"): PositionReport.Value.geoidSeparation.rawValue
        default: otherMember
        }
    }

    // MARK: Members that several classes have

    /// UTC; a stamp, or seconds as a number in old releases.
    @inline(__always)
    mutating func time(_ scanner: inout JSONScanner) throws(JSONFault) -> Int64? {
        if scanner.isAtString() { return UTCStamp.nanoseconds(try scanner.string().bytes) }
        return try seconds(&scanner)
    }

    @inline(never)
    private func seconds(_ scanner: inout JSONScanner) throws(JSONFault) -> Int64? {
        guard let seconds = try scanner.number() else { return nil }
        return Int64(exactly: (seconds * 1e9).rounded())
    }

    @inline(__always)
    mutating func device(_ scanner: inout JSONScanner) throws(JSONFault) -> DeviceNumber {
        number(of: try scanner.string())
    }

    /// The number of a device; 0 is "none named".
    @inline(__always)
    mutating func number(of text: JSONText) -> DeviceNumber {
        text.equals(lastBytes) ? lastNumber : find(text)
    }

    @inline(never)
    private mutating func find(_ text: JSONText) -> DeviceNumber {
        if let place = deviceBytes.firstIndex(where: { text.equals($0) }) {
            lastNumber = place + 1
        } else {
            if deviceBytes.count >= Self.deviceLimit { return Self.deviceLimit }
            deviceBytes.append(Array(text.bytes))
            devices.append(text.string)
            lastNumber = devices.count
        }
        lastBytes = deviceBytes[lastNumber - 1]
        return lastNumber
    }

    /// The name of a device; empty for 0.
    func name(of device: DeviceNumber) -> String {
        device > 0 && device <= devices.count ? devices[device - 1] : ""
    }

    // MARK: The rest

    private mutating func other(
        _ name: UInt64, _ scanner: inout JSONScanner, _ first: Bool
    ) throws(JSONFault) -> GPSDReport {
        switch name {
        case Class.attitude: return .attitude(try attitude(&scanner, first))
        case Class.noise: return .noise(try noise(&scanner, first))
        case Class.device: return .device(try deviceReport(&scanner, first))
        case Class.devices: return try deviceList(&scanner, first)
        case Class.poll: return .poll(try poll(&scanner, first))
        case Class.version, Class.watch, Class.error: return try greeting(name, &scanner, first)
        default:
            try skipMembers(&scanner, first)
            return .skipped
        }
    }

    private func skipMembers(_ scanner: inout JSONScanner, _ first: Bool) throws(JSONFault) {
        var isFirst = first
        while try scanner.nextKey(isFirst: isFirst) != nil {
            isFirst = false
            try scanner.skip()
        }
    }

    private mutating func attitude(
        _ scanner: inout JSONScanner, _ first: Bool
    ) throws(JSONFault) -> AttitudeReport {
        var report = AttitudeReport()
        var isFirst = first
        while let key = try scanner.nextKey(isFirst: isFirst) {
            isFirst = false
            switch key {
            case JSONText.name("device"): report.device = try device(&scanner)
            case JSONText.name("time"): report.time = try time(&scanner)
            case JSONText.name("heading"): report.heading = try scanner.number() ?? .nan
            case JSONText.name("mheading"):
                report.magneticHeading = try scanner.number() ?? .nan
            case JSONText.name("pitch"): report.pitch = try scanner.number() ?? .nan
            case JSONText.name("roll"): report.roll = try scanner.number() ?? .nan
            default: try scanner.skip()
            }
        }
        return report
    }

    private mutating func noise(
        _ scanner: inout JSONScanner, _ first: Bool
    ) throws(JSONFault) -> NoiseReport {
        var report = NoiseReport()
        var isFirst = first
        while let key = try scanner.nextKey(isFirst: isFirst) {
            isFirst = false
            switch key {
            case JSONText.name("device"): report.device = try device(&scanner)
            case JSONText.name("time"): report.time = try time(&scanner)
            case JSONText.name("lat"): report.latitude = try scanner.number() ?? .nan
            case JSONText.name("lon"): report.longitude = try scanner.number() ?? .nan
            case JSONText.name("alt"): report.altitude = try scanner.number() ?? .nan
            default: try scanner.skip()
            }
        }
        return report
    }

    private func deviceReport(
        _ scanner: inout JSONScanner, _ first: Bool
    ) throws(JSONFault) -> DeviceReport {
        // A report without `activated` is about a device that is there.
        var report = DeviceReport(path: "", isActive: true)
        var isFirst = first
        while let key = try scanner.nextKey(isFirst: isFirst) {
            isFirst = false
            switch key {
            case JSONText.name("path"): report.path = try scanner.stringIfAny()?.string ?? ""
            case JSONText.name("driver"): report.driver = try scanner.stringIfAny()?.string
            case JSONText.name("activated"):
                var copy = scanner
                if let zero = try? copy.number() { report.isActive = zero != 0 }
                try scanner.skip()
            default: try scanner.skip()
            }
        }
        return report
    }

    private func deviceList(
        _ scanner: inout JSONScanner, _ first: Bool
    ) throws(JSONFault) -> GPSDReport {
        var list: [DeviceReport] = []
        var isRemote = false
        var isFirst = first
        while let key = try scanner.nextKey(isFirst: isFirst) {
            isFirst = false
            guard key == JSONText.name("devices") else {
                if key == JSONText.name("remote") { isRemote = true }
                try scanner.skip()
                continue
            }
            try scanner.enterArray()
            var isFirstElement = true
            while try scanner.nextElement(isFirst: isFirstElement) {
                isFirstElement = false
                try scanner.enterObject()
                let one = try deviceReport(&scanner, true)
                if list.count < Self.deviceLimit { list.append(one) }
            }
        }
        return isRemote ? .skipped : .devices(list)
    }

    private func greeting(
        _ name: UInt64, _ scanner: inout JSONScanner, _ first: Bool
    ) throws(JSONFault) -> GPSDReport {
        var (release, message, isEnabled): (String, String, Bool?) = ("", "", nil)
        var isRemote = false
        var isFirst = first
        while let key = try scanner.nextKey(isFirst: isFirst) {
            isFirst = false
            switch key {
            case JSONText.name("release"): release = try scanner.stringIfAny()?.string ?? ""
            case JSONText.name("message"): message = try scanner.stringIfAny()?.string ?? ""
            case JSONText.name("enable") where name == Class.watch:
                isEnabled = try scanner.boolean()
            case JSONText.name("remote"):
                // gpsd passes on what another gpsd said to it, and says so here.
                isRemote = true
                try scanner.skip()
            default: try scanner.skip()
            }
        }
        if isRemote { return .skipped }
        if name == Class.version { return .version(release: release) }
        return name == Class.watch ? .watch(isEnabled: isEnabled) : .error(message: message)
    }
}
