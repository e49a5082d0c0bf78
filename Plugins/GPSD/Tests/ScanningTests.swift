import Glibc
import SensoriumTestKit
import Testing

@testable import GPSDPlugin

@Suite("JSON scanner", .timeLimit(.minutes(1)))
struct JSONScannerTests {
    @Test("reads numbers exactly as the standard library does")
    func numbersAreExact() throws {
        var random = SeededGenerator(seed: 42)
        for turn in 0..<20_000 {
            let text =
                switch turn % 4 {
                case 0: "\(Double(bitPattern: random.next()))"
                case 1: "\(Int64(bitPattern: random.next()))"
                case 2: "\(Int(random.next() % 360)).\(random.next() % 1_000_000_000)"
                default: "-\(random.next() % 1000).\(random.next())\(random.next())e-\(turn % 40)"
                }
            guard let expected = Double(text), expected.isFinite else { continue }
            #expect(try scanning(text, \.self) == expected, "\(text)")
        }
    }

    @Test(
        "knows what is no number",
        arguments: [
            "NaN", "-", "-a", "1.", ".5", "+1", "1e", "1e+", "Infinity", "0x10", "", "1.e5",
        ])
    func notNumbers(text: String) {
        #expect(throws: JSONFault.self) { try scanning(text, \.self) }
    }

    @Test("keeps the sign of zero")
    func negativeZero() throws {
        #expect(try scanning("-0.0", \.self).sign == .minus)
    }

    @Test("takes null for an unknown value")
    func null() throws {
        var scanner = scanner("null")
        #expect(try scanner.number() == nil)
    }

    @Test(
        "resolves escapes, pairs of halves too",
        arguments: [
            (#""a\/b\\c\"d\n""#, "a/b\\c\"d\n"), (#""\u00e9\ud83d\ude00""#, "é😀"),
            (#""\ud83d""#, "\u{FFFD}"), (#""""#, ""),
        ])
    func escapes(text: String, expected: String) throws {
        var bytes = Array(text.utf8)
        let string = try bytes.withUnsafeMutableBufferPointer { buffer in
            var scanner = JSONScanner(UnsafeBufferPointer(buffer))
            return try scanner.string().string
        }
        #expect(string == expected)
    }

    @Test("refuses what is nested without end, and does not follow it")
    func depth() {
        for opening in ["[", #"{"a":"#] {
            let text = String(repeating: opening, count: 100_000)
            var scanner = scanner(text)
            #expect(throws: JSONFault.self) { try scanner.skip() }
        }
    }

    private func scanning<T>(_ text: String, _ path: KeyPath<Double, T>) throws -> T {
        let bytes = Array("\(text)".utf8)
        return try bytes.withUnsafeBufferPointer { buffer in
            var scanner = JSONScanner(buffer)
            let value = try #require(try scanner.number())
            try scanner.finish()
            return value[keyPath: path]
        }
    }

    /// A scanner over a text that lives as long as the process.
    private func scanner(_ text: String) -> JSONScanner {
        let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count)
        _ = copy.initialize(from: text.utf8)
        return JSONScanner(UnsafeBufferPointer(copy))
    }
}

@Suite("UTC stamp", .timeLimit(.minutes(1)))
struct UTCStampTests {
    @Test("agrees with the C library on every day from 1970 to 2105")
    func days() {
        for day in 0..<49_400 {
            let seconds = day * 86_400 + day % 86_400
            var (date, time) = (tm(), time_t(seconds))
            gmtime_r(&time, &date)
            var text = [CChar](repeating: 0, count: 40)
            strftime(&text, text.count, "%Y-%m-%dT%H:%M:%SZ", &date)
            let stamp = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            #expect(nanoseconds(stamp) == Int64(seconds) * 1_000_000_000)
        }
    }

    @Test(
        "reads fractions of a second, and the leap second as the one after",
        arguments: [
            ("2016-12-31T23:59:60.000Z", 1_483_228_800_000_000_000),
            ("2017-01-10T00:09:41.123Z", 1_484_006_981_123_000_000),
            ("2017-01-10T00:09:41.1234567891Z", 1_484_006_981_123_456_789),
            ("1969-12-31T23:59:59.500Z", -500_000_000),
            ("2017-01-10T00:09:41Z", 1_484_006_981_000_000_000),
        ])
    func fractions(text: String, expected: Int64) {
        #expect(nanoseconds(Array(text.utf8)) == expected)
    }

    @Test(
        "refuses what is no date",
        arguments: [
            "2017-02-29T00:00:00.000Z", "2017-13-01T00:00:00.000Z", "2017-00-10T00:00:00.000Z",
            "2017-01-32T00:00:00.000Z", "2017-01-10T24:00:00.000Z", "2017-01-10T00:60:00.000Z",
            "2017-01-10T00:00:61.000Z", "2017-01-10 00:00:00.000Z", "2017-01-10T00:00:00.000",
            "2017-01-10T00:00:00.Z", "2017-01-1oT00:00:00.000Z", "", "Z",
            "9999-12-31T23:59:59.999Z",
        ])
    func notDates(text: String) {
        #expect(nanoseconds(Array(text.utf8)) == nil)
    }

    private func nanoseconds(_ bytes: [UInt8]) -> Int64? {
        bytes.withUnsafeBufferPointer { UTCStamp.nanoseconds($0) }
    }
}

@Suite("line framer", .timeLimit(.minutes(1)))
struct LineFramerTests {
    @Test("gives the same lines wherever the bytes are cut")
    func cuts() {
        let bytes = Array("one\r\n\r\ntwo\nthree\r\r\nfour".utf8)
        let whole = lines(of: [bytes])
        #expect(whole == ["one", "", "two", "three\r"])
        for cut in 0...bytes.count {
            #expect(lines(of: [Array(bytes[..<cut]), Array(bytes[cut...])]) == whole)
        }
        #expect(lines(of: bytes.map { [$0] }) == whole)
    }

    @Test("leaves out and counts a line that is too long, and keeps those beside it")
    func overlong() {
        let long = String(repeating: "x", count: 50)
        for size in [1, 7, 200] {
            var framer = LineFramer(limit: 20)
            var found: [String] = []
            let bytes = Array("before\n\(long)\nafter\n".utf8)
            for start in stride(from: 0, to: bytes.count, by: size) {
                let piece = Array(bytes[start..<min(start + size, bytes.count)])
                add(piece, to: &framer, &found)
            }
            #expect(found == ["before", "after"])
            #expect(framer.overlongCount == 1)
        }
    }

    @Test("holds no more than its limit of a line without an end")
    func endless() {
        var framer = LineFramer(limit: 1000)
        var found: [String] = []
        for _ in 0..<1000 { add([UInt8](repeating: 0x78, count: 999), to: &framer, &found) }
        #expect(framer.overlongCount == 1)
        add(Array("\nnext\n".utf8), to: &framer, &found)
        #expect(found == ["next"])
    }

    @Test("forgets half a line when its connection is gone")
    func reset() {
        var framer = LineFramer()
        var found: [String] = []
        add(Array("half of".utf8), to: &framer, &found)
        framer.reset()
        add(Array("whole\n".utf8), to: &framer, &found)
        #expect(found == ["whole"])
    }

    private func lines(of pieces: [[UInt8]]) -> [String] {
        var framer = LineFramer()
        var found: [String] = []
        for piece in pieces { add(piece, to: &framer, &found) }
        return found
    }

    private func add(_ bytes: [UInt8], to framer: inout LineFramer, _ found: inout [String]) {
        bytes.withUnsafeBufferPointer { buffer in
            framer.add(buffer) { found.append(String(decoding: $0, as: UTF8.self)) }
        }
    }
}
