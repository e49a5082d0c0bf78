import Sensorium

/// Puts the satellites of GSV and GSA together, over the constellations and signals of one epoch.
///
/// A GSV comes in parts, one row of parts for each talker and signal. A row of which a part was lost is
/// left out.
struct SatelliteView {
    /// One row of parts.
    private struct Row {
        var talker: Talker
        var signal: Int
        /// The part that comes next; 0 where one was lost, or the row is whole.
        var next = 0
        var total = 0
        var isWhole = false
        var satellites: [Satellite] = []
    }

    private var rows: [Row] = []
    /// Of one part, before it is known to be good.
    private var part: [Satellite] = []
    private var used: [SatelliteName] = []
    /// Of one GSA, before it is known to be good.
    private var usedPart: [SatelliteName] = []
    private var usedSet = SatelliteSet()
    private var hasUsed = false
    private var hasView = false
    private(set) var dilution = Satellites.Dilution()
    /// 2D or 3D; 0 where no GSA said it, 1 for none.
    private(set) var mode = 0
    /// How many satellites the solution uses; nil where no GSA named any.
    var usedCount: Int? { used.isEmpty ? nil : used.count }

    /// More rows than that are noise.
    private static var rowLimit: Int { 32 }
    /// More satellites in one row, or used by one solution, are noise.
    private static var satelliteLimit: Int { 160 }

    // MARK: GSV

    /// Takes a GSV: parts, number of this part, satellites in view; then four fields for each satellite,
    /// and since NMEA 4.1 the signal.
    mutating func addView(
        _ sentence: borrowing Sentence, _ talker: Talker
    ) throws(FieldFault) {
        let fields = sentence.count - 1
        guard fields >= 3 else { throw .incomplete }
        let total = try sentence.count(1)
        let number = try sentence.count(2)
        _ = try sentence.count(3)
        guard total <= 40, number <= 40, number != 0 else { throw .malformed }
        let blocks = (fields - 3) / 4
        var signal = 0
        switch (fields - 3) % 4 {
        case 0: break
        case 1:
            if let id = Self.hexDigit(sentence.field(fields)) {
                signal = id
            } else if !sentence.isEmpty(fields) {
                throw .malformed
            }
        default: throw .incomplete
        }
        let system = SatelliteNumbering.system(of: talker)
        part.removeAll(keepingCapacity: true)
        for block in 0..<blocks {
            let field = 4 + block * 4
            let own = try sentence.count(field)
            let elevation = try sentence.number(field + 1)
            let azimuth = try sentence.number(field + 2)
            let strength = try sentence.number(field + 3)
            guard own >= 0 else { continue }
            guard own <= 999 else { throw .malformed }
            let name = SatelliteNumbering.satellite(own, of: system)
            part.append(
                Satellite(
                    system: name.system, number: name.number,
                    elevation: abs(elevation) <= 90 ? elevation : nil,
                    azimuth: azimuth >= 0 && azimuth <= 360 ? azimuth : nil,
                    // A receiver that does not track it says nothing, or 0.
                    signal: strength > 0 ? strength : nil, isUsed: false))
        }
        store(talker, signal, total: total, number: number)
    }

    private static func hexDigit(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        guard bytes.count == 1 else { return nil }
        return switch bytes[0] {
        case 0x30...0x39: Int(bytes[0]) - 0x30
        case 0x41...0x46: Int(bytes[0]) - 0x37
        case 0x61...0x66: Int(bytes[0]) - 0x57
        default: nil
        }
    }

    private mutating func store(_ talker: Talker, _ signal: Int, total: Int, number: Int) {
        let place: Int
        if let known = rows.firstIndex(where: { $0.talker == talker && $0.signal == signal }) {
            place = known
        } else {
            guard rows.count < Self.rowLimit else { return }
            place = rows.count
            rows.append(Row(talker: talker, signal: signal))
        }
        // What is left empty is as it was in the part before.
        let number = number < 0 ? rows[place].next : number
        let total = total < 0 ? rows[place].total : total
        if number == 1 {
            rows[place].satellites.removeAll(keepingCapacity: true)
            rows[place].isWhole = false
            rows[place].total = total
        } else if number != rows[place].next || total != rows[place].total {
            rows[place].next = 0
            rows[place].isWhole = false
            return
        }
        if rows[place].satellites.count + part.count <= Self.satelliteLimit {
            rows[place].satellites += part
        }
        rows[place].isWhole = number >= total
        rows[place].next = number >= total ? 0 : number + 1
    }

    // MARK: GSA

    /// Takes a GSA: how the mode is chosen, the mode, twelve satellites, three dilutions, and since NMEA
    /// 4.1 the constellation.
    mutating func addUsed(
        _ sentence: borrowing Sentence, _ talker: Talker
    ) throws(FieldFault) {
        guard sentence.count >= 18 else { throw .incomplete }
        let mode = try sentence.count(2)
        guard mode <= 3 else { throw .malformed }
        let id = sentence.count > 18 ? try sentence.count(18) : -1
        let system =
            SatelliteNumbering.system(numbered: id) ?? SatelliteNumbering.system(of: talker)
        usedPart.removeAll(keepingCapacity: true)
        for field in 3..<15 {
            let own = try sentence.count(field)
            guard own > 0 else { continue }
            guard own <= 999 else { throw .malformed }
            let name = SatelliteNumbering.satellite(own, of: system)
            usedPart.append(SatelliteName(name.system, name.number))
        }
        let position = try sentence.number(15)
        let horizontal = try sentence.number(16)
        let vertical = try sentence.number(17)
        dilution.position = Self.known(position) ?? dilution.position
        dilution.horizontal = Self.known(horizontal) ?? dilution.horizontal
        dilution.vertical = Self.known(vertical) ?? dilution.vertical
        self.mode = max(self.mode, mode)
        hasUsed = hasUsed || !usedPart.isEmpty
        for one in usedPart where used.count < Self.satelliteLimit && usedSet.insert(one) {
            used.append(one)
        }
    }

    /// A dilution; receivers without a solution write 99.99.
    static func known(_ dilution: Double) -> Double? {
        dilution > 0 && dilution < 99 ? dilution : nil
    }

    // MARK: Epochs

    /// The satellites of the epoch; nil where nothing whole came of them.
    mutating func list() -> [Satellite]? {
        var list: [Satellite] = []
        var isWhole = false
        list.reserveCapacity(rows.reduce(0) { $1.isWhole ? $0 + $1.satellites.count : $0 })
        for place in rows.indices where rows[place].isWhole {
            isWhole = true
            let isOnly = !rows[..<place].contains {
                $0.isWhole && ($0.talker == rows[place].talker || $0.talker == .combined)
            }
            if isOnly, rows[place].talker != .combined {
                list += rows[place].satellites
                continue
            }
            // The same satellites, on another frequency.
            for one in rows[place].satellites {
                if let known = list.firstIndex(where: { SatelliteName($0) == SatelliteName(one) }) {
                    let strongest = max(list[known].signal ?? 0, one.signal ?? 0)
                    list[known].signal = strongest > 0 ? strongest : nil
                } else {
                    list.append(one)
                }
            }
        }
        // Receivers that list what is in view now and then do not need to be doubted in between.
        if isWhole { hasView = true } else if hasView || !hasUsed { return nil }
        var found = 0
        for place in list.indices where usedSet.contains(SatelliteName(list[place])) {
            list[place].isUsed = true
            found += 1
        }
        if found == used.count { return list }
        let inView = Set(list.map(SatelliteName.init))
        for one in used where !inView.contains(one) {
            list.append(Satellite(system: one.system, number: one.number, isUsed: true))
        }
        return list
    }

    /// Begins the next epoch.
    ///
    /// A row of parts that has begun goes on: its first parts may have come before the time did.
    mutating func reset() {
        for place in rows.indices { rows[place].isWhole = false }
        if !used.isEmpty {
            used.removeAll(keepingCapacity: true)
            usedSet.removeAll()
        }
        hasUsed = false
        dilution = Satellites.Dilution()
        mode = 0
    }

    /// Forgets everything: the connection that it came on is gone.
    mutating func forget() { self = SatelliteView() }
}
