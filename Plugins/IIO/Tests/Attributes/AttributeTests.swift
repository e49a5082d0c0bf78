import Glibc
import IIOPlugin
import Testing

@Suite("Attribute text", .timeLimit(.minutes(1)))
struct AttributeTextTests {
    @Test("reads the kernel's numbers")
    func numbers() {
        #expect(AttributeText.number("0.009806\n") == 0.009806)
        #expect(AttributeText.number(" -12\0") == -12)
        #expect(AttributeText.number("1e-05") == 1e-05)
        #expect(AttributeText.number("104.000000") == 104)
    }

    @Test(
        "takes nothing else for a number",
        arguments: [
            "", "\n", "nan", "inf", "0x10", "1,5", "12 dB", "1.2.3", "1e999", "--1", "(null)",
        ])
    func refuses(text: String) {
        #expect(AttributeText.number(text) == nil)
    }

    @Test("does not ask the locale what a decimal point is")
    func locale() {
        // Where the locale is not installed, the C locale stays, and the test says less.
        setlocale(LC_NUMERIC, "de_DE.UTF-8")
        defer { setlocale(LC_NUMERIC, "C") }
        #expect(AttributeText.number("0.009806") == 0.009806)
        #expect(AttributeText.text(12.5) == "12.5")
    }

    @Test("writes numbers without exponent")
    func writes() {
        #expect(AttributeText.text(104) == "104")
        #expect(AttributeText.text(12.5) == "12.5")
        #expect(AttributeText.text(0.000598) == "0.000598")
        #expect(AttributeText.text(-0.05) == "-0.05")
        #expect(AttributeText.text(1e7) == "10000000")
    }
}

@Suite("Available values", .timeLimit(.minutes(1)))
struct AvailableValuesTests {
    @Test("chooses the lowest that is enough, in the driver's spelling (IIO-13)")
    func list() throws {
        let values = try #require(AvailableValues("12 26 52 104.000000 208 416 833\n"))
        #expect(values.lowest(atLeast: 100)?.text == "104.000000")
        #expect(values.lowest(atLeast: 104)?.value == 104)
        #expect(values.lowest(atLeast: 1)?.value == 12)
        #expect(values.lowest(atLeast: 5000)?.value == 833)
    }

    @Test("does not care for the order, and never chooses 0")
    func order() throws {
        let values = try #require(AvailableValues("400 0 10 100"))
        #expect(values.lowest(atLeast: 0.5)?.value == 10)
        #expect(values.lowest(atLeast: 99.95)?.value == 100)
    }

    @Test("reads a range with a step")
    func range() throws {
        let values = try #require(AvailableValues("[0.5 0.5 100]"))
        #expect(values.lowest(atLeast: 10.2)?.text == "10.5")
        #expect(values.lowest(atLeast: 10)?.text == "10")
        #expect(values.lowest(atLeast: 1000)?.value == 100)
        #expect(values.lowest(atLeast: 0.1)?.value == 0.5)
        #expect(AvailableValues("[0 1 100]")?.lowest(atLeast: 0.2)?.value == 1)
    }

    @Test(
        "offers nothing where only 0 could be written, which switches a device off",
        arguments: ["[0 0 150]", "[0 1e-9 1e-8]", "[-2 0 0]", "0 0.0"])
    func neverOff(text: String) throws {
        let values = try #require(AvailableValues(text))
        #expect(values.lowest(atLeast: -1) == nil)
        #expect(values.lowest(atLeast: 0) == nil)
    }

    @Test("is nil for anything else", arguments: ["", "[1 2]", "[5 1 2]", "none", "[a b c]"])
    func nothing(text: String) {
        #expect(AvailableValues(text) == nil)
    }
}

@Suite("Mount matrix", .timeLimit(.minutes(1)))
struct MountMatrixTests {
    @Test("turns the chip's frame into the machine's (IIO-11)")
    func turns() throws {
        func turned(_ text: String) throws -> [Double] {
            let (x, y, z) = try MountMatrix(text).apply(1, 2, -9)
            return [x, y, z]
        }
        #expect(try turned("1, 0, 0; 0, -1, 0; 0, 0, -1") == [1, -2, 9])
        #expect(try turned("0, 1, 0; -1, 0, 0; 0, 0, 1") == [2, -1, -9])
        let oblique = try turned("0.866, 0.5, 0; -0.5, 0.866, 0; 0, 0, 1")
        #expect(zip(oblique, [1.866, 1.232, -9]).allSatisfy { abs($0 - $1) < 1e-9 })
    }

    @Test("bears the spellings that are about")
    func spellings() throws {
        #expect(try MountMatrix("-0,-1,0;-1,0,0;0,0,1").apply(1, 2, 3) == (-2, -1, 3))
        #expect(try MountMatrix(" 1,0 , 0 ;0, 1,0; 0,0,1\n") == .identity)
    }

    @Test(
        "refuses what would lose an axis, and says why (IIO-11)",
        arguments: [
            ("1, 0, 0; 0, 1, 0; 0, 1, 0", "singular"), ("0, 0, 0; 0, 0, 0; 0, 0, 0", "zero"),
            ("1, 0; 0, 1", "rows"), ("1, 0, 0; 0, 1; 0, 0, 1", "numbers"),
            ("1, 0, 0; 0, x, 0; 0, 0, 1", "not a number"), ("", "rows"),
            ("1, 0, 0; 0, nan, 0; 0, 0, 1", "not a number"), ("1,0,0;0,1,0;0,0,1;0,0,0", "rows"),
        ])
    func refuses(text: String, why: String) {
        let rejection = #expect(throws: MountMatrix.Rejection.self) { try MountMatrix(text) }
        #expect(rejection?.reason.contains(why) ?? false)
    }
}
