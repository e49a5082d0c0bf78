import Sensorium

/// Writes the fields of a reading as numbers in CDR, one behind the other.
///
/// The message begins with the bits of the fields that may be unknown and are known. An unknown number is
/// NaN or 0, so that each field has its place.
struct CDRFieldWriter: FieldVisitor {
    private let base: UnsafeMutableRawPointer
    private var known: UInt32 = 0
    private var bit: UInt32 = 1
    /// How many bytes the message has so far.
    private(set) var count = 8
    var fills: Bool { false }

    /// - Parameter base: room for a message, `ReadingMessage.largest` bytes.
    @inline(__always)
    init(_ base: UnsafeMutableRawPointer) {
        self.base = base
        // Encapsulation: CDR, little endian.
        base.storeBytes(of: UInt64(0x100).littleEndian, as: UInt64.self)
    }

    /// Writes which fields are known; once, behind the last one.
    @inline(__always)
    mutating func finish() {
        base.storeBytes(of: known.littleEndian, toByteOffset: 4, as: UInt32.self)
    }

    /// Stores a number at the next multiple of its size, counted from behind the encapsulation.
    @inline(__always)
    private mutating func put<Value: FixedWidthInteger>(_ value: Value) {
        let size = MemoryLayout<Value>.size
        let place = (count - 4 + size - 1) & -size + 4
        if place != count {
            base.storeBytes(of: 0, toByteOffset: count, as: UInt64.self)
        }
        base.storeBytes(of: value.littleEndian, toByteOffset: place, as: Value.self)
        count = place + size
    }

    @inline(__always)
    private mutating func note(_ isKnown: Bool) {
        if isKnown { known |= bit }
        bit &<<= 1
    }

    @inline(__always)
    mutating func field(_ name: String, _ value: inout Double) { put(value.bitPattern) }

    @inline(__always)
    mutating func field(_ name: String, _ value: inout Double?) {
        note(value != nil)
        put((value ?? .nan).bitPattern)
    }

    @inline(__always)
    mutating func field(_ name: String, _ value: inout Float?) {
        note(value != nil)
        put((value ?? .nan).bitPattern)
    }

    @inline(__always)
    mutating func field<Value: FixedWidthInteger>(_ name: String, _ value: inout Value) {
        put(value)
    }

    @inline(__always)
    mutating func field<Value: FixedWidthInteger>(_ name: String, _ value: inout Value?) {
        note(value != nil)
        put(value ?? 0)
    }

    @inline(__always)
    mutating func field(_ name: String, _ value: inout Bool?) {
        note(value != nil)
        put(value == true ? UInt8(1) : 0)
    }

    @inline(__always)
    mutating func field(_ name: String, _ value: inout Bool) { put(value ? UInt8(1) : 0) }

    @inline(__always)
    mutating func field<Value: NumberedWord>(_ name: String, _ value: inout Value?) {
        note(value != nil)
        put(value?.rawValue ?? 0)
    }

    @inline(__always)
    mutating func field<Value: NumberedWord>(_ name: String, _ value: inout Value) {
        put(value.rawValue)
    }

    @inline(__always)
    mutating func field(_ name: String, _ value: inout ReadingFlags) { put(value.rawValue) }

    @inline(__always)
    mutating func field(_ name: String, unit: String, _ value: inout Accuracy?) {
        note(value != nil)
        put((value?.value ?? .nan).bitPattern)
        put(value?.confidence.rawValue ?? 0)
    }

    // There are no texts.
    mutating func write(_ name: String, _ text: String?) {}
    mutating func read(_ name: String) -> String? { nil }
    mutating func refuse(_ name: String) {}
}

/// Fills the fields of a reading from what `CDRFieldWriter` wrote.
struct CDRFieldReader: FieldVisitor {
    private let bytes: UnsafeRawBufferPointer
    private var place = 8
    private let known: UInt32
    private var bit: UInt32 = 1
    /// Whether a field makes no sense, or one is missing that may not be.
    private(set) var isRefused = false
    var fills: Bool { true }

    /// Nil where the bytes are no such message.
    @inline(__always)
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 8 else { return nil }
        // What stands behind the kind of the encapsulation are options, which say nothing here.
        let start = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
        guard start & 0xffff == 0x100 else { return nil }
        known = UInt32(truncatingIfNeeded: start >> 32)
        self.bytes = bytes
    }

    @inline(__always)
    private mutating func take<Value: FixedWidthInteger>(_: Value.Type = Value.self) -> Value? {
        let size = MemoryLayout<Value>.size
        let here = (place - 4 + size - 1) & -size + 4
        guard here + size <= bytes.count else {
            // Nothing that is smaller may take its place.
            place = bytes.count
            return nil
        }
        place = here + size
        return Value(littleEndian: bytes.loadUnaligned(fromByteOffset: here, as: Value.self))
    }

    /// Whether the next field that may be unknown is known.
    @inline(__always)
    private mutating func isKnown() -> Bool {
        defer { bit &<<= 1 }
        return known & bit != 0
    }

    /// The next field, which may be unknown; refuses one that is known and missing.
    @inline(__always)
    private mutating func optional<Value: FixedWidthInteger>(
        _: Value.Type = Value.self
    ) -> Value? {
        let isKnown = isKnown()
        let value = take(Value.self)
        if isKnown, value == nil { isRefused = true }
        return isKnown ? value : nil
    }

    @inline(__always)
    mutating func field(_ name: String, _ value: inout Double) {
        guard let bits = take(UInt64.self) else { return isRefused = true }
        value = Double(bitPattern: bits)
    }

    @inline(__always)
    mutating func field(_ name: String, _ value: inout Double?) {
        value = optional(UInt64.self).map { Double(bitPattern: $0) }
    }

    @inline(__always)
    mutating func field(_ name: String, _ value: inout Float?) {
        value = optional(UInt32.self).map { Float(bitPattern: $0) }
    }

    @inline(__always)
    mutating func field<Value: FixedWidthInteger>(_ name: String, _ value: inout Value) {
        guard let known = take(Value.self) else { return isRefused = true }
        value = known
    }

    @inline(__always)
    mutating func field<Value: FixedWidthInteger>(_ name: String, _ value: inout Value?) {
        value = optional()
    }

    @inline(__always)
    mutating func field(_ name: String, _ value: inout Bool?) {
        let number = optional(UInt8.self)
        if let number, number > 1 { isRefused = true }
        value = number.map { $0 == 1 }
    }

    @inline(__always)
    mutating func field(_ name: String, _ value: inout Bool) {
        guard let number = take(UInt8.self), number <= 1 else { return isRefused = true }
        value = number == 1
    }

    @inline(__always)
    mutating func field<Value: NumberedWord>(_ name: String, _ value: inout Value?) {
        let number = optional(UInt8.self)
        value = number.flatMap { Value(rawValue: $0) }
        if number != nil, value == nil { isRefused = true }
    }

    @inline(__always)
    mutating func field<Value: NumberedWord>(_ name: String, _ value: inout Value) {
        guard let known = take(UInt8.self).flatMap({ Value(rawValue: $0) }) else {
            return isRefused = true
        }
        value = known
    }

    @inline(__always)
    mutating func field(_ name: String, _ value: inout ReadingFlags) {
        guard let bits = take(UInt16.self) else { return isRefused = true }
        value = ReadingFlags(rawValue: bits)
    }

    @inline(__always)
    mutating func field(_ name: String, unit: String, _ value: inout Accuracy?) {
        let isKnown = isKnown()
        let bound = take(UInt64.self).map { Double(bitPattern: $0) }
        let confidence = take(UInt8.self).flatMap { Accuracy.Confidence(rawValue: $0) }
        guard isKnown else { return value = nil }
        value = bound.flatMap { bound in confidence.flatMap { Accuracy(bound, $0) } }
        if value == nil { isRefused = true }
    }

    mutating func write(_ name: String, _ text: String?) {}
    mutating func read(_ name: String) -> String? { nil }
    mutating func refuse(_ name: String) { isRefused = true }
}

/// Says in ROS's language what `CDRFieldWriter` writes.
struct CDRFieldSchema: FieldVisitor {
    private var lines: [String] = []
    private var bit = 0
    var fills: Bool { false }

    /// The schema; its comments are for people.
    var text: String {
        (["uint32 known  # which of the fields that may be unknown are known, a bit for each"]
            + lines)
            .joined(separator: "\n") + "\n"
    }

    private mutating func add(
        _ type: String, _ name: String, mayBeUnknown: Bool = false, _ comments: String...
    ) {
        var comments = comments.filter { !$0.isEmpty }
        if mayBeUnknown {
            comments.append("known with bit \(bit)")
            bit += 1
        }
        let comment = comments.isEmpty ? "" : "  # " + comments.joined(separator: "; ")
        lines.append("\(type) \(name.lowercased())\(comment)")
    }

    private static func type<Value: FixedWidthInteger>(of _: Value.Type) -> String {
        "\(Value.isSigned ? "int" : "uint")\(Value.bitWidth)"
    }

    private static func words<Value: NumberedWord>(of _: Value.Type) -> String {
        Value.allCases.map { "\($0.rawValue) \($0)" }.joined(separator: ", ")
    }

    mutating func field(_ name: String, _ value: inout Double) { add("float64", name) }

    mutating func field(_ name: String, _ value: inout Double?) {
        add("float64", name, mayBeUnknown: true)
    }

    mutating func field(_ name: String, _ value: inout Float?) {
        add("float32", name, mayBeUnknown: true)
    }

    mutating func field<Value: FixedWidthInteger>(_ name: String, _ value: inout Value) {
        add(Self.type(of: Value.self), name)
    }

    mutating func field<Value: FixedWidthInteger>(_ name: String, _ value: inout Value?) {
        add(Self.type(of: Value.self), name, mayBeUnknown: true)
    }

    mutating func field(_ name: String, _ value: inout Bool?) {
        add("bool", name, mayBeUnknown: true)
    }

    mutating func field(_ name: String, _ value: inout Bool) { add("bool", name) }

    mutating func field<Value: NumberedWord>(_ name: String, _ value: inout Value?) {
        add("uint8", name, mayBeUnknown: true, Self.words(of: Value.self))
    }

    mutating func field<Value: NumberedWord>(_ name: String, _ value: inout Value) {
        add("uint8", name, Self.words(of: Value.self))
    }

    mutating func field(_ name: String, _ value: inout ReadingFlags) {
        add(
            "uint16", name,
            "a sum: 1 simulated, 2 saturated, 4 unscaled, 8 untrusted time, 16 interpolated")
    }

    mutating func field(_ name: String, unit: String, _ value: inout Accuracy?) {
        add("float64", name + unit, mayBeUnknown: true)
        add("uint8", name + "_confidence", Self.words(of: Accuracy.Confidence.self))
    }

    mutating func write(_ name: String, _ text: String?) {}
    mutating func read(_ name: String) -> String? { nil }
    mutating func refuse(_ name: String) {}
}
