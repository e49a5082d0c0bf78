import EvdevPlugin
import Sensorium
import Testing

@Suite("Places on a screen", .timeLimit(.minutes(1)))
struct TransformTests {
    private func transform(
        _ x: AxisRange, _ y: AxisRange, _ matrix: TouchTransform.Matrix = .identity
    ) -> TouchTransform {
        TouchTransform(TouchLayout(.slots(1), x: x, y: y), matrix)
    }

    private func capabilities(_ x: AxisRange, _ y: AxisRange) -> InputCapabilities {
        InputCapabilities(axes: [0x35: x, 0x36: y, 0x2f: AxisRange(0, 9)])
    }

    @Test("both ends of a range are edges, and sizes come of the resolution (TCH-03)")
    func ranges() {
        let screen = transform(
            AxisRange(0, 4095, resolution: 13), AxisRange(0, 4095, resolution: 24))
        let place = screen.place(2478, 1826)
        #expect(abs(place.x - 0.605128) < 1e-6)
        #expect(abs(place.y - 0.445910) < 1e-6)
        #expect(screen.place(0, 0) == .init(x: 0, y: 0, isCut: false))
        #expect(screen.place(4095, 4095) == .init(x: 1, y: 1, isCut: false))
        let size = screen.size
        #expect(abs((size?.width ?? 0) * place.x - 2478.0 / 13) < 1e-9)
        #expect(abs((size?.height ?? 0) * place.y - 1826.0 / 24) < 1e-9)
    }

    @Test("a range may begin below zero (TCH-03)")
    func negative() {
        let screen = transform(AxisRange(-500, 1500), AxisRange(-1000, 1000))
        #expect(screen.place(-500, 0) == .init(x: 0, y: 0.5, isCut: false))
        #expect(screen.place(1500, 1000) == .init(x: 1, y: 1, isCut: false))
    }

    @Test("an axis without a range is refused with a hint, and nothing is divided by it (TCH-03)")
    func empty() throws {
        let device = capabilities(AxisRange(0, 0), AxisRange(0, 0))
        let fault = #expect(throws: EvdevFault.self) { try TouchLayout(device) }
        #expect(fault?.condition == .malformed)
        #expect(fault?.hint?.contains("hwdb") == true)
    }

    @Test("the whole range of 32 bits overflows nothing, and a range may run backwards")
    func extremes() {
        let wide = transform(AxisRange(.min, .max), AxisRange(.max, .min))
        #expect(wide.place(.min, .min) == .init(x: 0, y: 1, isCut: false))
        #expect(wide.place(.max, .max) == .init(x: 1, y: 0, isCut: false))
    }

    @Test("what is beyond an edge is put on it, and marked")
    func beyond() {
        let screen = transform(AxisRange(0, 100), AxisRange(0, 100))
        #expect(screen.place(-20, 130) == .init(x: 0, y: 1, isCut: true))
    }

    @Test(
        "a turned panel is turned back",
        arguments: [
            (0, 0.25, 0.5), (90, 0.5, 0.25), (180, 0.75, 0.5), (270, 0.5, 0.75),
        ])
    func rotation(degrees: Int, x: Double, y: Double) throws {
        let matrix = try #require(TouchTransform.Matrix(rotation: degrees))
        let screen = transform(
            AxisRange(0, 100, resolution: 1), AxisRange(0, 200, resolution: 1), matrix)
        #expect(screen.place(25, 100) == .init(x: x, y: y, isCut: false))
        let isUpright = degrees % 180 == 0
        #expect(screen.size?.width == (isUpright ? 100 : 200))
        #expect(screen.size?.height == (isUpright ? 200 : 100))
    }

    @Test("a calibration comes before the rotation, and changes the size of what is seen")
    func calibration() throws {
        // The picture covers the middle half of the panel.
        let middle = try #require(TouchTransform.Matrix("2 0 -0.5 0 2 -0.5"))
        let plain = transform(
            AxisRange(0, 100, resolution: 1), AxisRange(0, 100, resolution: 1), middle)
        #expect(plain.place(25, 75) == .init(x: 0, y: 1, isCut: false))
        #expect(plain.place(10, 50).isCut)
        #expect(plain.size?.width == 50)
        let turned = middle.then(try #require(TouchTransform.Matrix(rotation: 90)))
        let place = transform(AxisRange(0, 100), AxisRange(0, 100), turned).place(25, 25)
        #expect(place == .init(x: 1, y: 0, isCut: false))
    }

    @Test(
        "a calibration that is none is nil",
        arguments: [
            "", "1 0 0 0 1", "1 0 0 0 1 0 0", "a b c d e f", "0 0 0 0 0 0", "1 1 0 1 1 0",
            "nan 0 0 0 1 0", "inf 0 0 0 1 0", "1e300 0 0 0 1 0",
        ])
    func noCalibration(text: String) { #expect(TouchTransform.Matrix(text) == nil) }

    @Test("a device's axes tell which kind of screen it is")
    func styles() throws {
        let range = AxisRange(0, 100)
        let contacts: [UInt16: AxisRange] = [0x35: range, 0x36: range]
        func style(_ axes: [UInt16: AxisRange], keys: Set<UInt16> = []) throws -> TouchLayout.Style
        {
            try TouchLayout(InputCapabilities(axes: axes, keys: keys)).style
        }
        #expect(try style(contacts) == .lists)
        #expect(try style(contacts.merging([0x2f: AxisRange(0, 4)]) { a, _ in a }) == .slots(5))
        #expect(
            try style(contacts.merging([0x2f: AxisRange(0, .max)]) { a, _ in a })
                == .slots(TouchLayout.mostSlots))
        #expect(
            try style(contacts.merging([0x2f: AxisRange(0, .min)]) { a, _ in a }) == .slots(1))
        #expect(try style([0: range, 1: range], keys: [0x14a]) == .single)
        #expect(throws: EvdevFault.self) { try style([0: range, 1: range]) }
        #expect(throws: EvdevFault.self) { try style([0: range]) }
    }
}
