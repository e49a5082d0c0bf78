import ImageFilesPlugin
import ImageFilesSpy
import Sensorium
import SensoriumImages
import SensoriumTestKit
import Testing

@Suite("Frames from files", .timeLimit(.minutes(1)))
struct FrameReaderTests {
    @Test("come in their order, a period apart, and end with the file")
    func film() async throws {
        let viewer = Viewer(files: ImageFilesSpy(["a.y4m": y4m([7, 8, 9])]))
        let start = viewer.files.clock.now
        try await viewer.look(at: "a.y4m", for: .seconds(1))
        let frames = viewer.frames.all
        #expect(frames.map { $0.storage.bytes[0] } == [7, 8, 9])
        #expect(frames.map(\.sequence) == [0, 1, 2])
        #expect(frames.map(\.format) == [.grey, .grey, .grey])
        #expect(
            zip(frames, frames.dropFirst()).map { $0.instant.duration(to: $1.instant) } == [
                .milliseconds(40), .milliseconds(40),
            ])
        #expect(start.duration(to: frames[0].instant) < .milliseconds(40))
        #expect(viewer.end.value == .some(nil))
        #expect(viewer.states.all == [.running])
        #expect(viewer.lost == [:])
        #expect(viewer.files.openCount == 0)
    }

    @Test("begin again at the end where they are to loop, without a pause or a step of the count")
    func loop() async throws {
        let viewer = Viewer(files: ImageFilesSpy(["a.mjpeg": jpeg(1) + jpeg(2)]))
        try await viewer.look(
            at: "a.mjpeg", ["image-files.loop": "1", "image-files.rate": "10"],
            for: .milliseconds(450))
        let frames = viewer.frames.all
        #expect(marks(frames) == [1, 2, 1, 2, 1])
        #expect(frames.map(\.sequence) == [0, 1, 2, 3, 4])
        let steps = zip(frames, frames.dropFirst()).map { $0.instant.duration(to: $1.instant) }
        #expect(steps == [Duration](repeating: .milliseconds(100), count: 4))
        #expect(viewer.end.value == nil)
    }

    @Test("of a folder come in the order that people count in, other files left out")
    func folder() async throws {
        var paths: [String: [UInt8]] = ["f/notes.txt": [1], "f/.hidden.jpg": jpeg(99)]
        for (mark, name) in ["1.jpg", "2.JPG", "010.jpeg", "a1.jpg", "a02.jpg", "a10.jpg"]
            .enumerated()
        {
            paths["f/\(name)"] = jpeg(UInt8(mark))
        }
        for path in ["f", "f/"] {
            let viewer = Viewer(files: ImageFilesSpy(paths))
            try await viewer.look(at: path, for: .seconds(1))
            #expect(marks(viewer.frames.all) == [0, 1, 2, 3, 4, 5])
            #expect(viewer.lost == [:])
        }
    }

    @Test("have the Huffman tables put in that cameras leave out")
    func tables() async throws {
        let viewer = Viewer(files: ImageFilesSpy(["a.mjpeg": jpeg(1)]))
        try await viewer.look(at: "a.mjpeg", for: .seconds(1))
        let frame = try #require(viewer.frames.all.first)
        #expect(frame.storage.bytes.count == jpeg(1).count + 420)
        #expect((frame.width, frame.height) == (16, 8))
    }

    @Test("do not stop at a damaged picture: it is counted, and its number is missing")
    func damage() async throws {
        let cut = Array(jpeg(2).dropLast(5))
        let stream = Viewer(files: ImageFilesSpy(["a.mjpeg": jpeg(1) + cut + jpeg(3)]))
        try await stream.look(at: "a.mjpeg", for: .seconds(1))
        #expect(marks(stream.frames.all) == [1, 3])
        #expect(stream.frames.all.map(\.sequence) == [0, 2])
        #expect(stream.lost == [.malformed: 1])

        let folder = Viewer(
            files: ImageFilesSpy([
                "f/1.jpg": jpeg(1), "f/2.jpg": cut, "f/3.jpg": [], "f/4.jpg": [1, 2, 3],
                "f/5.png": jpeg(5),
            ]))
        try await folder.look(at: "f", for: .seconds(1))
        // What a file is, its bytes say, not its name.
        #expect(marks(folder.frames.all) == [1, 5])
        #expect(folder.lost == [.malformed: 3])
        #expect(folder.end.value == .some(nil))

        let film = Viewer(
            files: ImageFilesSpy(["a.y4m": y4m([1]) + [9, 9] + y4m([2]).dropFirst(28)]))
        try await film.look(at: "a.y4m", for: .seconds(1))
        #expect(film.frames.all.map { $0.storage.bytes[0] } == [1, 2])
        #expect(film.lost == [.malformed: 1])
    }

    @Test("of a folder are lost as the device's where a file cannot be read")
    func unreadable() async throws {
        let files = ImageFilesSpy(["f/1.jpg": jpeg(1), "f/2.jpg": jpeg(2), "f/3.jpg": jpeg(3)])
        let viewer = Viewer(files: files)
        try await viewer.look(at: "f", for: .seconds(1)) { try await files.suffer(.drop(1)) }
        #expect(marks(viewer.frames.all) == [1, 3])
        #expect(viewer.lost == [.device: 1])
    }

    @Test("end with an error where the file cannot be read on, and tell which")
    func broken() async throws {
        // So large that they are read in several pieces.
        let frame = Array("FRAME\n".utf8) + [UInt8](repeating: 1, count: 300_000)
        let film = Array("YUV4MPEG2 W600 H500 Cmono\n".utf8) + frame + frame + frame + frame
        let files = ImageFilesSpy(["a.y4m": film])
        let viewer = Viewer(files: files)
        try await viewer.look(at: "a.y4m", for: .seconds(1)) { try await files.suffer(.drop(1)) }
        #expect((1...3).contains(viewer.frames.all.count))
        #expect(
            viewer.end.value
                == .some(
                    .unavailable(
                        "image-files/camera",
                        reason: "a.y4m: it cannot be read: input/output error (EIO)",
                        hint: "check the disk; the kernel's log (dmesg) may say why")))
    }

    @Test("end with an error when the files are gone at the next round")
    func gone() async throws {
        let files = ImageFilesSpy(["a.mjpeg": jpeg(1)])
        let viewer = Viewer(files: files)
        try await viewer.look(at: "a.mjpeg", ["image-files.loop": "1"], for: .seconds(1)) {
            try await files.suffer(.unplug)
        }
        guard case .disconnected(_, let reason, _)?? = viewer.end.value else {
            return #expect(Bool(false), "\(viewer.end.value as Any)")
        }
        #expect(reason == "a.mjpeg: there is no such file or folder (ENOENT)")
    }

    @Test("of one picture follow what another program writes there, a half written one left out")
    func snapshot() async throws {
        let files = ImageFilesSpy(["now.jpg": jpeg(1)])
        let viewer = Viewer(files: files)
        try await viewer.look(
            at: "now.jpg", ["image-files.loop": "1", "image-files.rate": "10"],
            for: .milliseconds(150)
        ) {
            await files.clock.advance(by: .milliseconds(150))
            files.put(Array(jpeg(2).dropLast(3)), at: "now.jpg")
            await files.clock.advance(by: .milliseconds(100))
            files.put([], at: "now.jpg")
            await files.clock.advance(by: .milliseconds(100))
            files.put(jpeg(3), at: "now.jpg")
        }
        #expect(marks(viewer.frames.all).first == 1)
        #expect(marks(viewer.frames.all).last == 3)
        #expect(!marks(viewer.frames.all).contains(2))
        #expect(viewer.lost[.malformed] ?? 0 > 0)
        #expect(viewer.end.value == nil)
    }

    @Test("bear any bytes, and are counted or named, never awaited for ever")
    func fuzz() async throws {
        var generator = SeededGenerator(seed: 11)
        for round in 0..<60 {
            var bytes = round % 2 == 0 ? jpeg(1) + jpeg(2) : y4m([1, 2, 3])
            for _ in 0..<4 {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                bytes[place] = UInt8.random(in: 0...255, using: &generator)
            }
            let viewer = Viewer(files: ImageFilesSpy(["a": bytes + jpeg(3)]))
            do {
                try await viewer.look(at: "a", for: .seconds(10))
                #expect(viewer.end.value != nil)
            } catch is SensorError {}
            #expect(viewer.files.openCount == 0)
            #expect(viewer.files.clock.sleeperCount == 0)
        }
    }

    @Test(
        "a thousand of each fault leave nothing, and are counted exactly",
        arguments: [
            (Fault.drop(1), nil, [.device: 1000]), (.notANumber, nil, [.malformed: 1000]),
            (.unplug, .replug, nil), (.deny, .permit, nil), (.clockJump(.seconds(60)), nil, [:]),
        ] as [(Fault, Fault?, [ReadingLoss.Reason: Int]?)])
    func endurance(fault: Fault, cure: Fault?, losses: [ReadingLoss.Reason: Int]?) async throws {
        let files = ImageFilesSpy(["f/1.jpg": jpeg(1), "f/2.jpg": jpeg(2)])
        files.keepNoOpenings()
        let host = files.host(
            showing: "f", ["image-files.loop": "1", "image-files.rate": "10"])
        let registry = SensorRegistry(host: host)
        try await registry.add(files.plugin(for: host))
        let camera = try #require(registry.preferred(of: CameraFrame.self))
        let test = FaultEndurance(fault, curedBy: cure, clock: files.clock)
        let outcome = try await test.run(camera, on: files) {
            await files.clock.advance(by: .milliseconds(100))
        }
        #expect(outcome.problems.isEmpty, "\(outcome.problems)")
        if let losses {
            #expect(outcome.losses == losses.mapValues { $0 * FaultEndurance.many / 1000 })
        } else {
            // Pictures that are missed before a session hears that all is gone.
            #expect(Set(outcome.losses.keys).isSubset(of: [.device]))
        }
        await registry.removeAll()
        #expect(files.openCount == 0)
        #expect(files.clock.sleeperCount == 0)
    }
}
