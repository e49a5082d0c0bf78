import CSensorium
import Sensorium

extension ReadingTime {
    /// Copies a time; codes that nobody knows become the ones that claim least.
    @inline(__always)
    init(_ time: sensorium_time) {
        let domain: ClockDomain =
            switch time.domain {
            case 0: .boottime
            case 1: .realtime
            case 2: .monotonic
            case 3: .tai
            default: .foreign
            }
        self.init(
            instant: SensorInstant(nanoseconds: time.instant_ns),
            originalNanoseconds: time.original_ns, originalDomain: domain,
            knownOriginal: time.has_original != 0,
            uncertaintySeconds: time.uncertainty_s >= 0 ? time.uncertainty_s : .nan,
            source: time.source == 0 ? .device : .arrival)
    }

    @inline(__always)
    var boundaryForm: sensorium_time {
        let original = original
        return sensorium_time(
            instant_ns: instant.nanoseconds, original_ns: original?.nanoseconds ?? 0,
            uncertainty_s: rawUncertainty, domain: original?.domain.rawValue ?? 0,
            source: source.rawValue, has_original: original == nil ? 0 : 1, reserved: 0)
    }
}

extension Accuracy {
    /// Copies an accuracy; nil where it is unknown, or no accuracy.
    @inline(__always)
    init?(_ value: Double, _ confidence: UInt8, if isKnown: Bool) {
        guard isKnown else { return nil }
        let level: Confidence =
            switch confidence {
            case 1: .fiftyPercent
            case 2: .sixtyEightPercent
            case 3: .drms
            case 4: .ninetyFivePercent
            default: .unspecified
            }
        self.init(value, level)
    }
}

/// A mask of the values that are known, while a struct is filled in.
struct ValidMask {
    private(set) var bits: UInt32 = 0

    /// Marks the value of `bit` as known, if it is; returns what to put in its place.
    @inline(__always)
    mutating func mark(_ value: Double?, _ bit: Int) -> Double {
        guard let value else { return 0 }
        bits |= UInt32(truncatingIfNeeded: bit)
        return value
    }

    /// Marks an accuracy.
    @inline(__always)
    mutating func mark(_ accuracy: Accuracy?, _ bit: Int) -> Double {
        mark(accuracy?.value, bit)
    }
}

extension UInt32 {
    /// Whether a mask has a bit of one of the header's enums.
    @inline(__always)
    func has(_ bit: Int) -> Bool { self & UInt32(truncatingIfNeeded: bit) != 0 }
}
