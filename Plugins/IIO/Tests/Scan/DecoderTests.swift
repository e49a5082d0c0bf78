import IIOPlugin
import Sensorium
import Testing

@Suite("Motion and scalar decoder", .timeLimit(.minutes(1)))
struct DecoderTests {
    /// Decodes scans of channels with those types, in the order of their indices.
    private func motion<Reading: MotionReading>(
        _: Reading.Type, _ types: [String], _ bytes: [UInt8], axes: [Int] = [0, 1, 2],
        scales: [Double], offsets: [Double] = [0, 0, 0], unit: Double = 1,
        matrix: MountMatrix = .identity, at address: Int = 1
    ) throws -> [Reading] {
        let layout = try layout(types)
        let elements = axes.map { layout.elements[$0] }.map {
            ElementReader($0.type, at: $0.offset)
        }
        let decoder = MotionDecoder(
            x: .init(elements[0], scale: scales[0], offset: offsets[0]),
            y: .init(elements[1], scale: scales[1], offset: offsets[1]),
            z: .init(elements[2], scale: scales[2], offset: offsets[2]), unitFactor: unit,
            matrix: matrix)
        return decode(bytes, layout.size, at: address) {
            decoder.decode($0, step: $1, stamps: $2, into: $3)
        }
    }

    private func layout(_ types: [String]) throws -> ScanLayout {
        ScanLayout(
            try types.enumerated().map { (index: $0, type: try #require(ScanType($1))) })
    }

    private func decode<Reading>(
        _ bytes: [UInt8], _ step: Int, at address: Int = 1,
        _ body: (UnsafeRawBufferPointer, Int, ScanStamps, UnsafeMutablePointer<Reading>) -> Void
    ) -> [Reading] {
        let count = bytes.count / step
        let moved = [UInt8](repeating: 0, count: address) + bytes
        let stamps = (0..<count).map { Int64($0) * 1000 + 5 }
        return [Reading](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = count
            moved.withUnsafeBytes { raw in
                stamps.withUnsafeBufferPointer { stamps in
                    guard let start = buffer.baseAddress else { return }
                    body(
                        UnsafeRawBufferPointer(rebasing: raw[address...]), step,
                        ScanStamps(
                            stamps: stamps, offset: 100, domain: .realtime, isDevices: true,
                            uncertainty: 0.5, source: .device), start)
                }
            }
        }
    }

    private let stamp = "le:s64/64>>0"

    @Test("decodes a scan of 32-bit axes and stamps it (IIO-01)")
    func hid() throws {
        let word = "le:s32/32>>0"
        let readings = try motion(
            Acceleration.self, [word, word, word, stamp],
            [
                0x76, 0xfc, 0xff, 0xff, 0x0f, 0, 0, 0, 0x62, 0xfe, 0xff, 0xff, 0, 0, 0, 0, 0, 0,
                0x2a, 0x36,
                0xfe, 0x9c, 0x97, 0x17,
            ], scales: [0.009806, 0.009806, 0.009806])
        let reading = try #require(readings.first)
        #expect(abs(reading.x - -8.884236) < 1e-9)
        #expect(abs(reading.y - 0.147090) < 1e-9)
        #expect(abs(reading.z - -4.059684) < 1e-9)
        #expect(reading.time.instant.nanoseconds == 105)
        #expect(reading.time.original == ClockTime(nanoseconds: 5, domain: .realtime))
        #expect(reading.time.source == .device)
        #expect(reading.time.uncertainty == .milliseconds(500))
    }

    @Test("decodes an IMU's accelerometer and gyroscope around the temperature (IIO-08)")
    func imu() throws {
        let half = "be:s16/16>>0"
        let types = [String](repeating: half, count: 7) + [stamp]
        let bytes: [UInt8] = [
            0x00, 0x64, 0xff, 0x38, 0x40, 0x00, 0xfb, 0xa0, 0x00, 0x0a, 0xff, 0xec, 0x00, 0x1e, 0,
            0, 0x00,
            0xf2, 0x05, 0x2a, 0x01, 0, 0, 0,
        ]
        let force = try #require(
            try motion(Acceleration.self, types, bytes, scales: [0.000598, 0.000598, 0.000598])
                .first)
        #expect(abs(force.x - 0.0598) < 1e-9)
        #expect(abs(force.y - -0.1196) < 1e-9)
        #expect(abs(force.z - 9.797632) < 1e-9)
        let turn = try #require(
            try motion(
                AngularVelocity.self, types, bytes, axes: [4, 5, 6],
                scales: [0.001064724, 0.001064724, 0.001064724]
            ).first)
        #expect(abs(turn.x - 0.01064724) < 1e-12)
        #expect(abs(turn.y - -0.02129448) < 1e-12)
        #expect(abs(turn.z - 0.03194172) < 1e-12)
        let layout = try layout(types)
        let temperature = ScalarDecoder(
            .init(
                ElementReader(layout.elements[3].type, at: layout.elements[3].offset),
                scale: 2.941176,
                offset: 12420), unitFactor: 1e-3)
        let readings: [Temperature] = decode(bytes, layout.size) {
            temperature.decode($0, step: $1, stamps: $2, into: $3)
        }
        #expect(abs((try #require(readings.first)).value - 33.2352888) < 1e-9)
    }

    @Test("reads elements that are stored wider than they are (IIO-03)")
    func padded() throws {
        let readings = try motion(
            Acceleration.self, ["le:s16/32>>0", "le:s16/32>>0", "le:s16/32>>0"],
            [0x38, 0xfc, 0xa5, 0xa5, 0x1b, 0, 0xa5, 0xa5, 0x26, 0xff, 0xa5, 0xa5],
            scales: [1, 1, 1])
        #expect(readings.map(\.x) == [-968])
        #expect(readings.map(\.y) == [27])
        #expect(readings.map(\.z) == [-218])
    }

    @Test("walks over the padding between scans (IIO-06)")
    func twoScans() throws {
        // s32, s16, s16 and a stamp: 16 bytes; two scans.
        let one: [UInt8] = [0x90, 0xee, 0xfe, 0xff, 0x0b, 0, 0xf4, 0xff, 1, 0, 0, 0, 0, 0, 0, 0]
        let readings = try motion(
            Acceleration.self, ["le:s32/32>>0", "le:s16/16>>0", "le:s16/16>>0", stamp], one + one,
            scales: [1, 1, 1])
        #expect(readings.map(\.x) == [-70_000, -70_000])
        #expect(readings.map(\.y) == [11, 11])
        #expect(readings.map(\.z) == [-12, -12])
        #expect(readings.map(\.time.instant.nanoseconds) == [105, 1105])
    }

    @Test("gives each axis its own scale and offset, then turns it into the machine's frame")
    func transform() throws {
        let half = "le:s16/16>>0"
        let readings = try motion(
            Acceleration.self, [half, half, half], [100, 0, 200, 0, 0x7c, 0xfc],
            scales: [0.01, 0.02, 0.01],
            offsets: [10, 0, -20], matrix: try MountMatrix("0, 1, 0; -1, 0, 0; 0, 0, 1"))
        let reading = try #require(readings.first)
        #expect(abs(reading.x - 4) < 1e-12)
        #expect(abs(reading.y - -1.1) < 1e-12)
        #expect(abs(reading.z - -9.2) < 1e-12)
    }

    @Test("takes gauss to tesla")
    func units() throws {
        let half = "le:s16/16>>0"
        let readings = try motion(
            MagneticField.self, [half, half, half], [0xe8, 0x03, 0, 0, 0, 0],
            scales: [0.000146, 0.000146, 0.000146], unit: 1e-4)
        #expect(abs((try #require(readings.first)).x - 1.46e-5) < 1e-15)
    }

    @Test(
        "flags what is at the end of the range, in every layout",
        arguments: ["le:s16/16>>0", "be:s16/16>>0", "le:s32/32>>0", "be:s32/32>>0", "le:s24/32>>8"])
    func saturation(text: String) throws {
        let type = try #require(ScanType(text))
        func bytes(_ number: Int64) -> [UInt8] {
            let little = (0..<type.storageBytes).map {
                UInt8(truncatingIfNeeded: (number << Int64(type.shift)) >> Int64(8 * $0))
            }
            return type.byteOrder == .little ? little : little.reversed()
        }
        for (x, isCut) in [(type.maximum, true), (type.minimum, true), (type.maximum - 1, false)] {
            let readings = try motion(
                Acceleration.self, [text, text, text], bytes(x) + bytes(0) + bytes(1),
                scales: [1, 1, 1])
            let reading = try #require(readings.first)
            #expect(reading.x == Double(x))
            #expect(reading.flags.contains(.saturated) == isCut)
        }
    }

    @Test("decodes alike whether or not a layout has a loop of its own")
    func loopsAgree() throws {
        // One axis of another type sends all through the general loop.
        var seed: UInt64 = 42
        func random() -> UInt8 {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: seed >> 33)
        }
        for text in ["le:s16/16>>0", "be:s12/16>>4", "le:s32/32>>0", "be:s20/32>>12"] {
            let width = try #require(ScanType(text)).storageBytes
            let bytes = (0..<(6 * width * 4)).map { _ in random() }
            let fast = try motion(
                Acceleration.self, [text, text, text, text], bytes, scales: [0.5, 0.25, 2], at: 3)
            let elements = try layout([text, text, text, text]).elements.map {
                ElementReader($0.type, at: $0.offset)
            }
            bytes.withUnsafeBytes { raw in
                guard let base = raw.baseAddress else { return }
                for (index, reading) in fast.enumerated() {
                    let scan = base + index * 4 * width
                    #expect(reading.x == elements[0].number(in: scan) * 0.5)
                    #expect(reading.y == elements[1].number(in: scan) * 0.25)
                    #expect(reading.z == elements[2].number(in: scan) * 2)
                }
            }
        }
    }
}
