import Glibc

/// Text that the other side of the boundary lends for the length of a call.
enum LentText {
    /// Longer texts are cut: nothing that crosses is meant to be longer.
    private static let limit = 4096

    /// Copies a text; nil for NULL.
    ///
    /// Bytes that are not UTF-8 become U+FFFD.
    static func copy(_ text: UnsafePointer<CChar>?) -> String? {
        guard let text else { return nil }
        let length = strnlen(text, limit)
        return text.withMemoryRebound(to: UInt8.self, capacity: length) { bytes in
            String(decoding: UnsafeBufferPointer(start: bytes, count: length), as: UTF8.self)
        }
    }

    /// Copies a text; nil for NULL and for a text of nothing.
    static func copyUnlessEmpty(_ text: UnsafePointer<CChar>?) -> String? {
        guard let text = copy(text), !text.isEmpty else { return nil }
        return text
    }

    /// Lends a text that may not be there.
    static func withOptional<Result>(
        _ text: String?, _ body: (UnsafePointer<CChar>?) -> Result
    ) -> Result {
        guard let text else { return body(nil) }
        return text.withCString(body)
    }
}

/// Numbers that the other side of the boundary gives: anything at all.
enum LentNumber {
    /// Hertz; nil for 0 and for everything that is no rate.
    static func rate(_ hertz: Double) -> Double? {
        hertz >= 1e-6 && hertz <= 1e9 ? hertz : nil
    }

    /// A value that is known and is a number.
    @inline(__always)
    static func value(_ value: Double, if isKnown: Bool) -> Double? {
        isKnown && value.isFinite ? value : nil
    }
}
