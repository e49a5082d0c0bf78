import Sensorium
import SensoriumTestKit
import Testing
import V4L2Plugin
import V4L2Spy

@Suite("Streaming", .timeLimit(.minutes(1)))
struct StreamingTests {
    private func streaming(
        _ camera: ScriptedCamera, keeping: Bool = false, configuration: [String: String] = [:],
        _ body: @escaping @Sendable (Bench, Viewer) async throws -> Void
    ) async throws {
        let bench = Bench([camera], configuration: configuration)
        try await bench.clock.run {
            let viewer = try await bench.open(keeping: keeping)
            try await body(bench, viewer)
            await viewer.close()
            viewer.release()
            #expect(bench.isClean)
            try bench.spy.journal.verify()
        }
    }

    @Test("hands out the driver's own memory, frame after frame, without a gap")
    func noCopy() async throws {
        try await streaming(.fixed(.yuyv, 1280, 720, feed: .steady)) { bench, viewer in
            await bench.clock.advance(by: .seconds(10))
            let addresses = Set(bench.spy.bufferAddresses())
            #expect(viewer.frames.count >= 299)
            #expect(viewer.frames.allSatisfy { addresses.contains($0.address) })
            #expect(Set(viewer.frames.map(\.address)).count > 1)
            #expect(viewer.frames.map(\.sequence) == (0..<viewer.frames.count).map { UInt32($0) })
            #expect(bench.spy.missedCount() == 0)
            #expect(viewer.states == [.running])
        }
    }

    @Test("stamps frames with the driver's time, and says of which moment it is")
    func time() async throws {
        var camera = ScriptedCamera.fixed(.grey, 8, 4, feed: .steady)
        camera.stamps = .exposure(.milliseconds(12))
        try await streaming(camera) { bench, viewer in
            let start = bench.clock.now
            await bench.clock.advance(by: .seconds(1))
            let frame = try #require(viewer.frames.first)
            #expect(frame.reference == .startOfExposure)
            #expect(frame.time.original?.domain == .monotonic)
            let age = start.duration(to: frame.time.instant) - .nanoseconds(33_333_333)
            #expect(age == .milliseconds(-12))
        }
    }

    @Test("stamps frames on arrival, and says so once, where the driver's time is nobody's")
    func foreignTime() async throws {
        var camera = ScriptedCamera.fixed(.grey, 8, 4, feed: .steady)
        camera.stamps = .copied(77)
        try await streaming(camera) { bench, viewer in
            await bench.clock.advance(by: .seconds(1))
            #expect(viewer.frames.allSatisfy { $0.time.source == .arrival })
            #expect(viewer.frames.allSatisfy { $0.time.original?.domain == .foreign })
            #expect(bench.diagnostics.all.filter { $0.contains("stamped on arrival") }.count == 1)
        }
    }

    @Test("leaves the padding of rows out of the picture (CAM-03)")
    func padding() async throws {
        let rows = [
            [10, 10, 10, 11, 11, 11, 12, 12, 12, 13, 13, 13],
            [20, 20, 20, 21, 21, 21, 22, 22, 22, 23, 23, 23],
        ].map { $0.map { UInt8($0) } }
        let filler = [UInt8](repeating: 0xee, count: 4)
        try await streaming(.fixed(.rgb24, 4, 2, padding: 4)) { bench, viewer in
            bench.spy.push(
                .bytes(rows[0] + filler + rows[1] + filler), .bytes(rows[0] + filler + rows[1]),
                .bytes(rows[0] + filler + rows[1].dropLast()))
            await bench.clock.advance(by: .milliseconds(10))
            #expect(viewer.frames.count == 2)
            for frame in viewer.frames {
                #expect(frame.planes[0].stride == 16)
                #expect(frame.rows.map { Array($0.prefix(12)) } == rows)
            }
            #expect(viewer.losses(.malformed) == 1)
        }
    }

    @Test("warns of a driver whose rows are further apart than it says, and heeds the user's word")
    func wrongStride() async throws {
        var camera = ScriptedCamera.fixed(.rgb24, 624, 480, feed: .steady)
        camera.lies.settled = .init(.rgb24, 624, 480, bytesPerLine: 1872, imageSize: 921_600)
        try await streaming(camera) { bench, viewer in
            await bench.clock.advance(by: .milliseconds(100))
            #expect(
                viewer.frames[0].planes == [.init(offset: 0, stride: 1872, length: 921_600)])
            #expect(bench.diagnostics.all.contains { $0.contains("v4l2.stride=1920") })
        }
        try await streaming(camera, configuration: ["v4l2.stride": "1920"]) { bench, viewer in
            await bench.clock.advance(by: .milliseconds(100))
            #expect(viewer.frames[0].planes[0].stride == 1920)
            #expect(bench.diagnostics.all.isEmpty)
        }
    }

    @Test("drops and counts frames that are none, and gives every buffer back (CAM-02)")
    func badFrames() async throws {
        try await streaming(.fixed(.mjpeg, 16, 8)) { bench, viewer in
            let bad: [ScriptedFrame] = [
                .bytes(Array(JPEG.whole.dropLast(3))), .empty, .bytes(Array(JPEG.whole.prefix(9))),
                .damaged, .bytes([]),
            ]
            for round in 0..<40 {
                bench.spy.push(bad[round % bad.count])
                await bench.clock.settle()
            }
            #expect(viewer.frames.isEmpty)
            #expect(viewer.losses(.malformed) == 16)
            #expect(viewer.losses(.device) == 24)
            #expect(bench.spy.queuedCount() == 8)
            bench.spy.push(
                .bytes(JPEG.whole + [0, 0, 0]), .bytes(JPEG.whole.prefix(20) + JPEG.whole))
            await bench.clock.settle()
            #expect(
                viewer.frames.map(\.planes) == [
                    [.init(offset: 0, stride: 0, length: JPEG.whole.count)],
                    [.init(offset: 20, stride: 0, length: JPEG.whole.count)],
                ])
            // What was dropped shows as a gap.
            #expect(viewer.frames.map(\.sequence) == [40, 41])
        }
    }

    @Test("counts frames that the driver lost, by the gaps of its count")
    func gaps() async throws {
        try await streaming(.fixed(.grey, 8, 4)) { bench, viewer in
            for number in [0, 1, 4, 5] as [UInt32] {
                bench.spy.push(.numbered(number))
                await bench.clock.settle()
            }
            #expect(viewer.frames.map(\.sequence) == [0, 1, 4, 5])
            #expect(viewer.losses(.device) == 2)
        }
    }

    @Test("never waits for a consumer that keeps frames: six are lent, the others are counted")
    func keeper() async throws {
        try await streaming(.fixed(.grey, 8, 4, feed: .steady), keeping: true) { bench, viewer in
            await bench.clock.advance(by: .seconds(2))
            #expect(viewer.keptFrames.count == 6)
            #expect(viewer.losses(.slowConsumer) >= 53)
            #expect(bench.spy.missedCount() == 0)
            #expect(bench.spy.queuedCount() == 2)
            #expect(viewer.states == [.running])
            viewer.release(3)
            await bench.clock.advance(by: .seconds(1))
            #expect(viewer.frames.count == 9)
            #expect(viewer.keptFrames.count == 6)
            #expect(Set(viewer.keptFrames.map { $0.storage.bytes.baseAddress }).count == 6)
        }
    }

    @Test("lends as many as the configured buffers leave, and never less than one")
    func buffers() async throws {
        var camera = ScriptedCamera.fixed(.grey, 8, 4, feed: .steady)
        for (asked, given, lent) in [(3, 32, 1), (5, 32, 3), (20, 4, 2), (8, 2, 1)] {
            camera.mostBuffers = given
            try await streaming(
                camera, keeping: true, configuration: ["v4l2.buffers": "\(asked)"]
            ) { bench, viewer in
                await bench.clock.advance(by: .seconds(1))
                #expect(viewer.keptFrames.count == lent)
                #expect(viewer.losses(.slowConsumer) > 20)
            }
        }
    }

    @Test("keeps the memory of a frame until it is released, long after the camera is closed")
    func outlives() async throws {
        let bench = Bench([.fixed(.grey, 8, 4, feed: .steady)])
        try await bench.clock.run {
            let viewer = try await bench.open(keeping: true)
            await bench.clock.advance(by: .milliseconds(110))
            await viewer.close()
            #expect(viewer.keptFrames.count == 3)
            #expect(bench.spy.openCount == 0)
            #expect(bench.spy.mappedCount == 3)
            for (number, frame) in viewer.keptFrames.enumerated() {
                #expect(frame.storage.bytes[0] == UInt8(number))
            }
            // The camera can be opened again meanwhile, with buffers of its own.
            let second = try await bench.open()
            await bench.clock.advance(by: .milliseconds(110))
            #expect(second.frames.count == 3)
            await second.close()
            #expect(viewer.keptFrames[2].storage.bytes[0] == 2)
            viewer.release(2)
            #expect(bench.spy.mappedCount == 1)
            viewer.release()
            #expect(bench.isClean)
        }
    }

    @Test("frames of several planes come from one memory, single- or multi-planar")
    func multiplanar() async throws {
        for abilities in [ScriptedCamera.Abilities.capture, .multiplanarCapture] {
            var camera = ScriptedCamera.fixed(.nv12, 5, 3, padding: 2)
            camera.abilities = [abilities, .streaming]
            try await streaming(camera) { bench, viewer in
                var frame = ScriptedFrame.bytes([UInt8](repeating: 3, count: 40))
                frame.bytesUsed = 40
                bench.spy.push(frame)
                await bench.clock.settle()
                #expect(
                    viewer.frames.first?.planes == [
                        .init(offset: 0, stride: 8, length: 24),
                        .init(offset: 24, stride: 8, length: 16),
                    ])
                #expect(viewer.frames.first?.width == 5)
            }
        }
    }

    @Test("allows one session, and says who has the camera")
    func busy() async throws {
        let bench = Bench([.fixed(.grey, 8, 4, feed: .steady)])
        try await bench.clock.run {
            let viewer = try await bench.open()
            let error = try await bench.refusal()
            guard case .busy = error else { throw error }
            #expect(error.reason == "this program reads it already")
            await bench.clock.advance(by: .seconds(1))
            #expect(viewer.frames.count >= 29)
            await viewer.close()
            bench.spy.occupy(by: "cheese (process 912)")
            let other = try await bench.refusal()
            guard case .busy = other else { throw other }
            #expect(other.reason.contains("EBUSY"))
            #expect(other.reason.contains("cheese (process 912) has it open"))
            #expect(other.hint.contains("end cheese (process 912)"))
            bench.spy.occupy(by: nil)
            let third = try await bench.open()
            await third.close()
            #expect(bench.isClean)
        }
    }
}
