/// Names of devices in sensor ids, which stay the same over a restart and a replug.
package enum DeviceName {
    /// Makes names different that are the same: the second is `NAME~2`.
    ///
    /// - Parameter names: in an order that does not depend on when a device was plugged in.
    package static func distinct(_ names: some Sequence<String>) -> [String] {
        var taken: [String: Int] = [:]
        return names.map { name in
            taken[name, default: 0] += 1
            let count = taken[name] ?? 1
            return count == 1 ? name : "\(name)~\(count)"
        }
    }

    /// A text without what must not be in a sensor's id.
    ///
    /// A slash separates the parts of an id, and nothing in it is invisible.
    package static func cleaned(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.prefix(120).map { scalar in
                    if scalar == " " { return "_" }
                    let isVisible = scalar.value > 0x20 && scalar.value != 0x7f && scalar != "/"
                    return isVisible && !(0x80...0x9f).contains(scalar.value) ? scalar : "-"
                }))
    }
}
