import Sensorium
import SensoriumTestKit
import Testing
import V4L2Plugin
import V4L2Spy

@Suite("Unplug (CAM-05)", .timeLimit(.minutes(1)))
struct UnplugTests {
    private var camera: ScriptedCamera {
        ScriptedCamera(
            node: "/dev/video2", modes: [.init(.grey, [(8, 4)])], feed: .steady)
    }

    private func after10Frames(
        configuration: [String: String] = [:],
        _ body: @escaping @Sendable (Bench, Viewer) async throws -> Void
    ) async throws {
        let bench = Bench([camera], configuration: configuration)
        try await bench.clock.run {
            let viewer = try await bench.open()
            await bench.clock.advance(by: .milliseconds(340))
            #expect(viewer.frames.count == 10)
            try await body(bench, viewer)
            let time = try #require(await bench.closingTime(of: viewer))
            #expect(time <= .seconds(2))
            bench.spy.release()
            await bench.clock.settle()
            #expect(bench.isClean)
        }
    }

    @Test(
        "is one status, costs next to nothing, and is over within 2 s of the replug",
        arguments: [V4L2LinkSpy.Absence.told, .silent])
    func reconnects(absence: V4L2LinkSpy.Absence) async throws {
        let camera = camera
        try await after10Frames { bench, viewer in
            bench.spy.unplug("/dev/video2", as: absence)
            await bench.clock.advance(by: .seconds(60))
            #expect(viewer.states.count <= 3)
            #expect(viewer.states.last == .reconnecting)
            #expect(bench.spy.mappedCount == 0)
            #expect(bench.spy.openCount == 0)
            let commands = bench.spy.commands.count
            await bench.clock.advance(by: .seconds(600))
            #expect(bench.spy.commands.count == commands)

            // It comes back under another number, and everything is set up anew.
            var back = camera
            back.node = "/dev/video0"
            bench.spy.plug(back)
            await bench.clock.advance(by: .milliseconds(2100))
            #expect(viewer.states.last == .running)
            #expect(viewer.frames.count > 10)
            #expect(
                bench.spy.commands.dropFirst(commands) == [
                    "open /dev/video0", "S_FMT GREY 8x4", "S_PARM 1000/30000", "REQBUFS 8",
                    "STREAMON",
                ])
            let instants = viewer.frames.map(\.time.instant)
            #expect(instants == instants.sorted())
        }
    }

    @Test("ends the session within its time also when DQBUF never returns")
    func hanging() async throws {
        let camera = camera
        try await after10Frames { bench, viewer in
            bench.spy.unplug("/dev/video2", as: .hanging)
            await bench.clock.advance(by: .seconds(5))
            let time = try #require(await bench.closingTime(of: viewer))
            #expect(time == .seconds(2))
            let count = viewer.frames.count
            #expect(bench.diagnostics.all.contains { $0.contains("still blocked") })
            // It is plugged in again, and the old call blocks all the same.
            bench.spy.plug(camera)
            let error = try await bench.refusal()
            guard case .busy = error else { throw error }
            #expect(error.reason.contains("still blocks"))
            bench.spy.release()
            await bench.clock.settle()
            #expect(viewer.frames.count == count)
        }
    }

    @Test("ends the session where the configuration says so")
    func ends() async throws {
        try await after10Frames(configuration: ["v4l2.unplug": "end"]) { bench, viewer in
            bench.spy.unplug("/dev/video2")
            await bench.clock.settle()
            #expect(viewer.errors.count == 1)
            guard case .disconnected? = viewer.errors[0] else {
                throw SpyError("it ended by \(viewer.errors)")
            }
            #expect(bench.plugin.sessionCount == 0)
        }
    }

    @Test(
        "builds everything anew after any other failure, and tells of it once",
        arguments: [5, 32, 71, 11, 22])
    func failure(number: Int32) async throws {
        for operation in [V4L2LinkSpy.Operation.dequeue, .queue] {
            try await after10Frames { bench, viewer in
                bench.spy.fail(operation, with: number)
                await bench.clock.advance(by: .seconds(1))
                #expect(viewer.states == [.running, .reconnecting, .running])
                #expect(viewer.frames.count > 30)
                #expect(bench.spy.commands.filter { $0 == "STREAMON" }.count == 2)
            }
        }
    }

    @Test("notices a camera that stalls, starts it anew, and goes on")
    func stall() async throws {
        try await after10Frames { bench, viewer in
            bench.spy.stall("/dev/video2")
            await bench.clock.advance(by: .seconds(30))
            #expect(viewer.states == [.running, .stale])
            #expect(viewer.frames.count == 10)
            bench.spy.resume("/dev/video2")
            await bench.clock.advance(by: .seconds(5))
            #expect(viewer.states == [.running, .stale, .running])
            #expect(viewer.frames.count > 100)
        }
    }

    @Test("waits longer for a slow camera")
    func slow() async throws {
        var camera = camera
        camera.modes = [.init(.grey, [(8, 4)], rates: [0.5])]
        let bench = Bench([camera])
        try await bench.clock.run {
            let viewer = try await bench.open()
            await bench.clock.advance(by: .seconds(60))
            #expect(viewer.states == [.running])
            #expect(viewer.frames.count == 30)
            await viewer.close()
            #expect(bench.isClean)
        }
    }

    @Test("does not spin on a driver that promises frames and has none")
    func promises() async throws {
        try await after10Frames { bench, viewer in
            bench.spy.unplug("/dev/video2", as: .told)
            await bench.clock.advance(by: .seconds(1))
            #expect(viewer.states == [.running, .reconnecting])
        }
    }

    @Test("refuses what cannot be opened, with the reason", arguments: [13, 16, 19, 28, 22, 5])
    func refusals(number: Int32) async throws {
        for operation in [V4L2LinkSpy.Operation.open, .capability, .requestBuffers, .map, .start] {
            let bench = Bench([camera])
            try await bench.clock.run {
                let sensor = try await bench.camera()
                bench.spy.fail(operation, with: number)
                do {
                    let viewer = try await Viewer(sensor)
                    await viewer.close()
                    Issue.record("\(operation) failed with \(number), and it opened")
                } catch let error as SensorError {
                    switch (number, error) {
                    case (13, .denied), (16, .busy), (28, .busy), (19, .disconnected),
                        (22, .unsupported), (5, .unavailable):
                        break
                    default: throw error
                    }
                    #expect(!error.hint.isEmpty)
                }
                #expect(bench.isClean)
            }
        }
    }

    @Test("gives up an open that is cancelled, and one that is slow is waited for")
    func slowOpening() async throws {
        let bench = Bench([camera])
        try await bench.clock.run {
            let sensor = try await bench.camera()
            bench.spy.hang(.start)
            let outcome = Collected<String>()
            let task = bench.clock.spawn("open") {
                do {
                    _ = try await Viewer(sensor)
                    outcome.append("opened")
                } catch { outcome.append("\(error)") }
            }
            await bench.clock.advance(by: .milliseconds(100))
            task.cancel()
            await bench.clock.advance(by: .seconds(3))
            #expect(outcome.all.first?.contains("cancelled") ?? false)
            bench.spy.release()
            await bench.clock.settle()
            #expect(bench.isClean)

            bench.spy.hang(.start)
            let viewers = Collected<Viewer>()
            bench.clock.spawn("open") {
                do { viewers.append(try await Viewer(sensor)) } catch { Issue.record(error) }
            }
            await bench.clock.advance(by: .seconds(9))
            let viewer = try #require(viewers.all.first)
            #expect(viewer.frames.isEmpty)
            bench.spy.release()
            await bench.clock.advance(by: .seconds(1))
            #expect(viewer.frames.count > 20)
            await viewer.close()
            #expect(bench.isClean)
        }
    }
}
