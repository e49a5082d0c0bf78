import Sensorium

/// A word of a fixed list, which has a number of its own.
typealias NumberedWord = CaseIterable & Equatable & RawRepresentable<UInt8>

/// Goes over the fields of a reading in a fixed order, either to write them or to fill them in.
///
/// One description of each reading serves both ways, and every format, so that no field can be written
/// and not read.
///
/// A visitor of texts has `write`, `read` and `refuse`; one of numbers also takes each type of field
/// itself.
protocol FieldVisitor {
    /// Whether it fills fields in.
    var fills: Bool { get }
    /// Takes the text of a field; nil where it is unknown.
    mutating func write(_ name: String, _ text: String?)
    /// The text of the next field; nil where there is none.
    mutating func read(_ name: String) -> String?
    /// A text that means nothing, or that is missing and may not be.
    mutating func refuse(_ name: String)

    mutating func field(_ name: String, _ value: inout Double)
    mutating func field(_ name: String, _ value: inout Double?)
    mutating func field(_ name: String, _ value: inout Float?)
    mutating func field<Value: FixedWidthInteger>(_ name: String, _ value: inout Value)
    mutating func field<Value: FixedWidthInteger>(_ name: String, _ value: inout Value?)
    mutating func field(_ name: String, _ value: inout Bool?)
    mutating func field(_ name: String, _ value: inout Bool)
    mutating func field<Value: NumberedWord>(_ name: String, _ value: inout Value?)
    mutating func field<Value: NumberedWord>(_ name: String, _ value: inout Value)
    mutating func field(_ name: String, _ value: inout ReadingFlags)
    mutating func field(_ name: String, unit: String, _ value: inout Accuracy?)
}

extension FieldVisitor {
    mutating func field(_ name: String, _ value: inout Double) {
        guard fills else { return write(name, Self.text(value)) }
        if let text = read(name), let known = Self.number(text) {
            value = known
        } else {
            refuse(name)
        }
    }

    mutating func field(_ name: String, _ value: inout Double?) {
        guard fills else { return write(name, value.map(Self.text)) }
        guard let text = read(name) else { return value = nil }
        if let known = Self.number(text) { value = known } else { refuse(name) }
    }

    /// Not negative.
    mutating func field(_ name: String, _ value: inout Float?) {
        guard fills else { return write(name, value.map { "\($0)" }) }
        guard let text = read(name) else { return value = nil }
        if let known = Float(text), known >= 0 { value = known } else { refuse(name) }
    }

    mutating func field<Value: FixedWidthInteger>(_ name: String, _ value: inout Value) {
        guard fills else { return write(name, "\(value)") }
        if let text = read(name), let known = Value(text) { value = known } else { refuse(name) }
    }

    mutating func field<Value: FixedWidthInteger>(_ name: String, _ value: inout Value?) {
        guard fills else { return write(name, value.map { "\($0)" }) }
        guard let text = read(name) else { return value = nil }
        if let known = Value(text) { value = known } else { refuse(name) }
    }

    mutating func field(_ name: String, _ value: inout Bool?) {
        guard fills else { return write(name, value.map { $0 ? "1" : "0" }) }
        switch read(name) {
        case nil: value = nil
        case "1": value = true
        case "0": value = false
        default: refuse(name)
        }
    }

    mutating func field(_ name: String, _ value: inout Bool) {
        var optional: Bool? = value
        field(name, &optional)
        if let optional { value = optional } else { refuse(name) }
    }

    /// One word of a fixed list.
    mutating func field<Value: NumberedWord>(_ name: String, _ value: inout Value?) {
        guard fills else { return write(name, value.map { "\($0)" }) }
        guard let text = read(name) else { return value = nil }
        if let known = Value.allCases.first(where: { "\($0)" == text }) {
            value = known
        } else {
            refuse(name)
        }
    }

    /// One word of a fixed list; the one that is there already where the text has none.
    mutating func field<Value: NumberedWord>(_ name: String, _ value: inout Value) {
        var optional: Value? = value
        field(name, &optional)
        if let optional { value = optional }
    }

    /// Bits as a number, nothing for 0.
    mutating func field(_ name: String, _ value: inout ReadingFlags) {
        var bits: UInt16? = value.isEmpty ? nil : value.rawValue
        field(name, &bits)
        value = ReadingFlags(rawValue: bits ?? 0)
    }

    /// A bound and its confidence.
    mutating func field(_ name: String, unit: String, _ value: inout Accuracy?) {
        var bound = value?.value
        var confidence = value?.confidence
        field(name + unit, &bound)
        field(name + "_confidence", &confidence)
        guard fills else { return }
        guard let bound else { return value = nil }
        value = Accuracy(bound, confidence ?? .unspecified)
        if value == nil { refuse(name + unit) }
    }

    /// A bound in no unit, and its confidence.
    @inline(__always)
    mutating func field(_ name: String, _ value: inout Accuracy?) {
        field(name, unit: "", &value)
    }

    /// The shortest digits that mean the number; all kinds of NaN are one.
    private static func text(_ value: Double) -> String { value.isNaN ? "nan" : "\(value)" }

    /// `nan` and infinities are numbers too: what a sensor gave is kept.
    private static func number(_ text: String) -> Double? {
        switch text {
        case "nan": .nan
        case "inf": .infinity
        case "-inf": -.infinity
        default: NumberText.finite(text)
        }
    }
}
