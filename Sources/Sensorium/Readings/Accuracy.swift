/// How far a value may be from the truth, and how often it may be farther.
///
/// A number of metres alone says little: Android's horizontal accuracy is a radius that holds 68 %
/// of all fixes, the W3C's one that holds 95 %, and gpsd does not say. So a value carries its
/// confidence, and is converted only from a known one.
@frozen
public struct Accuracy: Sendable, Hashable {
    /// The bound, in the unit of the quantity it belongs to; a radius for positions.
    public var value: Double
    /// The share of readings that lie within `value`.
    public var confidence: Confidence

    /// Makes an accuracy; nil where `value` is negative or not a number.
    @inlinable
    public init?(_ value: Double, _ confidence: Confidence) {
        guard value >= 0, value.isFinite else { return nil }
        self.value = value
        self.confidence = confidence
    }

    /// How often the truth lies within the bound.
    public enum Confidence: UInt8, Sendable, Hashable, CaseIterable {
        /// The source does not say.
        case unspecified = 0
        /// Half of all readings; for positions, the circular error probable (CEP).
        case fiftyPercent = 1
        /// 68 % of all readings.
        case sixtyEightPercent = 2
        /// Distance root mean square: the root of the sum of the variances of both axes.
        case drms = 3
        /// 95 % of all readings.
        case ninetyFivePercent = 4
    }

    /// The radius at another confidence, for errors that are Gaussian and alike in both horizontal
    /// directions; nil from or to an unspecified one.
    public func radius(at wanted: Confidence) -> Double? {
        convert(to: wanted, factor: \.radialFactor)
    }

    /// The half-width at another confidence, for a Gaussian error of one dimension (altitude,
    /// speed, a scalar); nil from or to an unspecified one.
    public func halfWidth(at wanted: Confidence) -> Double? {
        convert(to: wanted, factor: \.linearFactor)
    }

    private func convert(
        to wanted: Confidence, factor: (Confidence) -> Double?
    ) -> Double? {
        guard let from = factor(confidence), let to = factor(wanted) else { return nil }
        // What needs no conversion stays exactly as it is.
        return wanted == confidence ? value : value / from * to
    }
}

extension Accuracy.Confidence {
    /// The radius in standard deviations of one axis.
    ///
    /// Source: the Rayleigh distribution, sqrt(-2 ln(1 - p)).
    var radialFactor: Double? {
        switch self {
        case .unspecified: nil
        case .fiftyPercent: 1.177_410_022_515_474_7
        case .sixtyEightPercent: 1.509_592_178_541_451_5
        case .drms: 1.414_213_562_373_095_1
        case .ninetyFivePercent: 2.447_746_830_680_816
        }
    }

    /// The half-width in standard deviations.
    ///
    /// Source: the normal distribution.
    var linearFactor: Double? {
        switch self {
        case .unspecified: nil
        case .fiftyPercent: 0.674_489_750_196_081_7
        case .sixtyEightPercent: 0.994_457_883_209_753
        case .drms: 1
        case .ninetyFivePercent: 1.959_963_984_540_054
        }
    }
}

extension Accuracy.Confidence: CustomStringConvertible {
    /// `unspecified`, `50%`, `68%`, `DRMS` or `95%`.
    public var description: String {
        switch self {
        case .unspecified: "unspecified"
        case .fiftyPercent: "50%"
        case .sixtyEightPercent: "68%"
        case .drms: "DRMS"
        case .ninetyFivePercent: "95%"
        }
    }
}
