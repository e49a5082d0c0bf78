import Testing

@testable import SensoriumCLI

@Suite("JSON writer", .timeLimit(.minutes(1)))
struct JSONWriterTests {
    private func text(_ members: (inout JSONWriter) -> Void) -> String {
        var json = JSONWriter()
        json.object(members)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    @Test("puts commas between members and elements only")
    func commas() {
        #expect(text { _ in } == "{}")
        let nested = text { json in
            json.member("a", 1)
            json.member("b") { $0.member("c", true) }
            json.member("d", array: ["x", "y"]) { $0.element($1) }
            json.member("e", array: [1, 2]) { json, number in
                json.object { $0.member("n", number) }
            }
            json.member("f", array: [Double]()) { $0.element($1) }
            json.member("g", "h")
        }
        #expect(
            nested == #"{"a":1,"b":{"c":true},"d":["x","y"],"e":[{"n":1},{"n":2}],"f":[],"g":"h"}"#)
    }

    @Test(
        "writes the shortest number that reads back",
        arguments: [
            (0.1, "0.1"), (9.81, "9.81"), (5, "5.0"), (-0.0, "-0.0"),
            (1.0 / 3, "0.3333333333333333"),
            (1e-7, "1e-07"), (1e22, "1e+22"), (.leastNonzeroMagnitude, "5e-324"),
            (1.7976931348623157e308, "1.7976931348623157e+308"), (48.137154, "48.137154"),
        ])
    func numbers(value: Double, expected: String) {
        #expect(text { $0.member("v", value) } == #"{"v":\#(expected)}"#)
        #expect(Double(expected) == value)
    }

    @Test(
        "leaves out what JSON cannot hold, and what is unknown",
        arguments: [
            Double.nan, .infinity, -.infinity, nil,
        ])
    func unknown(value: Double?) {
        let written = text { json in
            json.member("a", value)
            json.member("b", nil as String?)
            json.member("c", nil as Int?)
            json.nullableMember("d", nil)
            json.member("e", array: [1, value ?? .nan]) { $0.element($1) }
        }
        #expect(written == #"{"d":null,"e":[1.0]}"#)
    }

    @Test("escapes what must be escaped, and nothing else")
    func strings() {
        let value = "\"\\\u{8}\u{c}\n\r\t\u{0}\u{1f}\u{7f}/äµ²😀\u{2028}"
        let expected = #"\"\\\u0008\u000c\n\r\t\u0000\u001f\u007f/äµ²😀"# + "\u{2028}"
        #expect(text { $0.member("s", value) } == "{\"s\":\"\(expected)\"}")
    }

    @Test("writes whole numbers exactly")
    func integers() {
        #expect(text { $0.member("t", Int64.max) } == #"{"t":9223372036854775807}"#)
        #expect(text { $0.member("t", UInt64.max) } == #"{"t":18446744073709551615}"#)
    }
}

@Suite("Printable text", .timeLimit(.minutes(1)))
struct PrintableTextTests {
    @Test("cannot move a terminal's cursor, nor turn the direction of writing")
    func harmless() {
        #expect(
            "gpsd\u{1b}[2J\u{7}\n\u{202e}".printable == "gpsd\u{fffd}[2J\u{fffd}\u{fffd}\u{fffd}")
        #expect("m/s² äöü 位置 😀".printable == "m/s² äöü 位置 😀")
    }

    @Test(
        "is a number with fixed decimals",
        arguments: [
            (9.80665, 3, "9.807"), (-0.0004, 3, "0.000"), (0.5, 0, "0"), (-1.25, 1, "-1.2"),
            (1234.5678, 2, "1234.57"), (0.05, 2, "0.05"), (1e300, 2, "1e+300"), (.nan, 2, "?"),
            (-.infinity, 2, "?"),
        ])
    func fixed(value: Double, decimals: Int, expected: String) {
        #expect(value.fixed(decimals) == expected)
    }
}
