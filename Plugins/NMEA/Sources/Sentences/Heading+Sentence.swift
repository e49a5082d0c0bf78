import Sensorium

extension Heading {
    /// The heading of HDT, HDM, HDG or THS; nil where it says that there is none.
    ///
    /// HDG has what the sensor shows, its deviation and the variation, both positive to the east:
    /// magnetic = sensor + deviation, true = magnetic + variation.
    init?(
        _ type: SentenceType, _ sentence: borrowing Sentence, at time: ReadingTime
    ) throws(FieldFault) {
        guard sentence.count >= 3 else { throw .incomplete }
        let shown = try sentence.direction(1)
        if shown.isNaN { return nil }
        var flags: ReadingFlags = []
        switch type {
        case .hdm: self.init(time: time, magneticNorth: shown)
        case .hdg:
            guard sentence.count >= 6 else { throw .incomplete }
            let deviation = try sentence.eastward(2)
            let variation = try sentence.eastward(4)
            let magnetic = deviation.isNaN ? shown : Self.turned(shown, by: deviation)
            self.init(
                time: time,
                trueNorth: variation.isNaN ? nil : Self.turned(magnetic, by: variation),
                magneticNorth: magnetic, declination: variation.isNaN ? nil : variation)
        default:
            if type == .ths {
                switch try sentence.letter(2) {
                case 0x56: return nil  // V, not valid
                case 0x53: flags = .simulated  // S
                default: break
                }
            }
            self.init(time: time, trueNorth: shown, flags: flags)
        }
    }

    private static func turned(_ direction: Double, by degrees: Double) -> Double {
        let sum = (direction + degrees).truncatingRemainder(dividingBy: 360)
        return sum < 0 ? sum + 360 : sum
    }
}
