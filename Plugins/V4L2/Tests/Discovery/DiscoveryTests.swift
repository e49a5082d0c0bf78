import Sensorium
import SensoriumTestKit
import Testing
import V4L2Plugin
import V4L2Spy

@Suite("Camera discovery", .timeLimit(.minutes(1)))
struct DiscoveryTests {
    private func descriptors(_ cameras: ScriptedCamera...) async throws -> [SensorDescriptor] {
        let bench = Bench(cameras)
        return try await bench.clock.run {
            let found = try await bench.plugin.discover().map(\.descriptor)
            #expect(bench.isClean)
            return found
        }
    }

    @Test("finds nodes that give pictures, by what each node can do itself")
    func abilities() async throws {
        var converter = ScriptedCamera(node: "/dev/video2", name: "codec", place: "platform/codec")
        converter.abilities = [.conversion, .streaming]
        var reader = ScriptedCamera(node: "/dev/video3", name: "old", place: "platform/old")
        reader.abilities = [.capture]
        var board = ScriptedCamera(node: "/dev/video4", name: "isp", place: "platform/isp")
        board.abilities = [.multiplanarCapture, .streaming]
        let found = try await descriptors(
            ScriptedCamera(), .metadata(node: "/dev/video1"), converter, reader, board)
        #expect(
            found.map(\.id) == [
                "v4l2/HD_Webcam@usb-0000:00:14.0-2/camera", "v4l2/isp@isp/camera",
            ])
        #expect(found.map(\.isPreferred) == [true, false])
        #expect(found.map(\.needs) == ["/dev/video0", "/dev/video4"])
    }

    @Test("tells the rates at the size that would be chosen")
    func rates() async throws {
        #expect(try await descriptors(ScriptedCamera())[0].rates == .listed([10, 15, 30]))
        #expect(
            try await descriptors(.fixed(.grey, 8, 4, rates: []))[0].rates == .unknown)
    }

    @Test("lists a camera that it may not open, as denied, under the same name")
    func denied() async throws {
        let bench = Bench([ScriptedCamera(), .metadata()])
        try await bench.clock.run {
            let allowed = try await bench.camera()
            #expect(allowed.authorization == .authorized)
            bench.spy.setDenied(true)
            let sensors = try await bench.plugin.discover()
            #expect(sensors.map(\.id) == [allowed.id])
            #expect(sensors[0].authorization == .denied)
            let error = try await bench.refusal()
            guard case .denied = error else { throw error }
            #expect(error.hint.contains("group"))
            #expect(error.hint.contains("udev rule"))
            bench.spy.setDenied(false)
            #expect(sensors[0].authorization == .authorized)
            #expect(bench.isClean)
        }
    }

    @Test("is not held up by a node that does not answer")
    func slow() async throws {
        let bench = Bench([ScriptedCamera(), .metadata()])
        try await bench.clock.run {
            bench.spy.hang(.capability)
            let before = bench.clock.now
            let clock = bench.clock
            let time = clock.spawn("time") { await clock.pause(for: .seconds(60)) }
            let found = Collected<Int>()
            clock.spawn("discover") {
                found.append((try? await bench.plugin.discover().count) ?? -1)
            }
            await clock.advance(by: .seconds(20))
            #expect(found.all == [1])
            #expect(before.duration(to: clock.now) <= .seconds(20))
            time.cancel()
            bench.spy.release()
            await clock.settle()
            #expect(bench.isClean)
        }
    }

    @Test("tells of cameras that come and go")
    func hotplug() async throws {
        let bench = Bench([])
        try await bench.clock.run {
            let told = Collected<String>()
            await bench.plugin.watch { change in
                switch change {
                case .arrived(let sensor): told.append("+\(sensor.id)")
                case .departed(let id): told.append("-\(id)")
                }
            }
            let first = try await bench.plugin.discover()
            #expect(first.isEmpty)
            bench.spy.plug(ScriptedCamera())
            await bench.clock.advance(by: .seconds(1))
            bench.spy.unplug()
            await bench.clock.advance(by: .seconds(1))
            let id = "v4l2/HD_Webcam@usb-0000:00:14.0-2/camera"
            #expect(told.all == ["+\(id)", "-\(id)"])
            await bench.plugin.stop()
            bench.spy.plug(ScriptedCamera())
            await bench.clock.advance(by: .seconds(1))
            #expect(told.all.count == 2)
            #expect(bench.isClean)
        }
    }

    @Test("keeps a camera that is read and pulled out, as long as somebody waits for it")
    func awaited() async throws {
        let camera = ScriptedCamera(modes: [.init(.grey, [(8, 4)])], feed: .steady)
        let bench = Bench([camera])
        let registry = SensorRegistry(host: PluginHost(clock: bench.clock))
        let plugin = bench.spy.plugin(for: registry.host)
        try await bench.clock.run {
            try await registry.add(plugin)
            let sensor = try #require(registry.preferred(of: CameraFrame.self))
            let viewer = try await Viewer(sensor)
            await bench.clock.advance(by: .seconds(1))
            bench.spy.unplug()
            await bench.clock.advance(by: .seconds(20))
            #expect(viewer.states == [.running, .reconnecting])
            #expect(viewer.errors.isEmpty)
            bench.spy.plug(camera)
            await bench.clock.advance(by: .seconds(3))
            #expect(viewer.states == [.running, .reconnecting, .running])

            bench.spy.unplug()
            await bench.clock.advance(by: .seconds(20))
            #expect(registry.sensors(of: CameraFrame.self).count == 1)
            await viewer.close()
            await bench.clock.advance(by: .seconds(1))
            #expect(registry.sensors(of: CameraFrame.self).isEmpty)
            bench.spy.plug(camera)
            await bench.clock.advance(by: .seconds(1))
            #expect(registry.sensors(of: CameraFrame.self).count == 1)
            await registry.removeAll()
            #expect(bench.isClean)
        }
    }
}
