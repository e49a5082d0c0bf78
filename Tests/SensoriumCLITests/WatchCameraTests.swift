import ImageFilesSpy
import Sensorium
import SensoriumImages
import SensoriumTestKit
import Testing

@testable import SensoriumCLI

@Suite("watch camera", .timeLimit(.minutes(1)))
struct WatchCameraTests {
    /// A grey frame of 4x2 pixels, filled with a number.
    private func frame(_ number: UInt8, at milliseconds: Int64 = 1000) -> CameraFrame {
        made(.grey, 4, 2, [UInt8](repeating: number, count: 8), at: milliseconds)
    }

    private func made(
        _ format: PixelFormat, _ width: Int, _ height: Int, _ bytes: [UInt8],
        at milliseconds: Int64 = 1000
    ) -> CameraFrame {
        CameraFrame(
            time: ReadingTime(SensorInstant(nanoseconds: milliseconds * 1_000_000)), width: width,
            height: height, format: format,
            planes: [.init(offset: 0, stride: 0, length: bytes.count)],
            storage: FrameStorage(copying: bytes))
    }

    /// A JPEG picture without Huffman tables.
    private let jpeg: [UInt8] = {
        var bytes: [UInt8] = [0xff, 0xd8, 0xff, 0xdb, 0x00, 0x43, 0x00]
        bytes += [UInt8](repeating: 8, count: 64)
        bytes += [0xff, 0xc0, 0x00, 0x0b, 8, 0, 8, 0, 16, 1, 1, 0x11, 0]
        bytes += [0xff, 0xda, 0x00, 0x08, 1, 1, 0, 0, 0x3f, 0]
        return bytes + [0xf3, 0xfa, 0x80, 0x3f, 0xff, 0xd9]
    }()

    @Test("shows the size of frames, their format, and their rate once it is known")
    func lines() async throws {
        let bench = CommandBench()
        let camera = bench.add(CameraFrame.self, "cam/camera")
        try await bench.clock.run {
            let command = bench.start("watch", "camera")
            for step in 0..<12 { try await camera.deliver(frame(7, at: 1000 + Int64(step) * 100)) }
            command.cancel()
            try await camera.stopped()
        }
        #expect(bench.output.lines[0] == "1.000000  cam/camera  size 0 KiB  (4x2, GREY)")
        #expect(bench.output.lines[11].hasSuffix("(4x2, GREY, 10.0 Hz)"))
    }

    @Test("shows the rate in JSON, too")
    func json() async throws {
        let bench = CommandBench()
        let camera = bench.add(CameraFrame.self, "cam/camera")
        try await bench.clock.run {
            bench.start("watch", "camera", "--json", "--count", "11")
            for step in 0..<11 { try await camera.deliver(frame(7, at: 1000 + Int64(step) * 100)) }
        }
        #expect(bench.output.lines[0].contains(#""width":4,"height":2,"format":"GREY""#))
        #expect(!bench.output.lines[9].contains("rate"))
        #expect(bench.output.lines[10].hasSuffix(#""bytes":8,"rate":10.0}"#))
    }

    // MARK: Saving

    #if Images
    @Test("saves the first frame that can be saved as a picture, and ends")
    func picture() async throws {
        let folder = try ScratchFolder()
        let bench = CommandBench()
        let camera = bench.add(CameraFrame.self, "cam/camera")
        try await bench.clock.run {
            bench.start("watch", "--save", folder.path("a.png"))
            // Too short for its size.
            try await camera.deliver(made(.grey, 4, 2, [1, 2, 3]))
            #expect(bench.exitCode == nil)
            try await camera.deliver(frame(9))
            try await camera.stopped()
        }
        #expect(bench.exitCode == .success)
        let picture = try PNG.decode(folder.read("a.png"))
        #expect(picture.bytes == [UInt8](repeating: 9, count: 24))
        #expect(bench.errors.lines[0] == "\(folder.path("a.png")): 4x2")
        #expect(bench.errors.lines[1].hasPrefix("left out: 1 frame: 3 bytes with 0 per row"))
        #expect(folder.names == ["a.png"])
    }

    @Test("saves the last frame where a count is given")
    func last() async throws {
        let folder = try ScratchFolder()
        let bench = CommandBench()
        let camera = bench.add(CameraFrame.self, "cam/camera")
        try await bench.clock.run {
            bench.start("watch", "cam/camera", "--save", folder.path("a.JPG"), "--count", "3")
            for number in [10, 20, 200] as [UInt8] { try await camera.deliver(frame(number)) }
            try await camera.stopped()
        }
        let picture = try JPEG.decode(folder.read("a.JPG"))
        #expect(abs(Int(picture[0, 0].red) - 200) <= 2)
        #expect(bench.exitCode == .success)
    }
    #endif

    @Test("saves a camera's own JPEG as it came, with the tables that it lacks")
    func ownJPEG() async throws {
        let folder = try ScratchFolder()
        let bench = CommandBench()
        let camera = bench.add(CameraFrame.self, "cam/camera")
        try await bench.clock.run {
            bench.start("watch", "--save", folder.path("a.jpeg"))
            try await camera.deliver(made(.mjpeg, 16, 8, jpeg + [0, 0, 0]))
            try await camera.stopped()
        }
        let saved = try folder.read("a.jpeg")
        #expect(saved == jpeg.withUnsafeBytes { JPEG.whole($0) })
        #expect(saved.count == jpeg.count + 420)
    }

    @Test("saves all frames as a film at the rate of the camera, until it is stopped")
    func film() async throws {
        let folder = try ScratchFolder()
        let bench = CommandBench()
        let camera = bench.add(CameraFrame.self, "cam/camera")
        camera.grantRate(25)
        try await bench.clock.run {
            let command = bench.start("watch", "--save", folder.path("a.y4m"))
            try await camera.deliver(frame(1))
            try await camera.deliver(made(.grey, 2, 1, [5, 5]))
            try await camera.deliver(frame(2))
            command.cancel()
            try await camera.stopped()
        }
        let head = "YUV4MPEG2 W4 H2 F25:1 Ip A1:1 Cmono XCOLORRANGE=FULL\n"
        let expected =
            Array(head.utf8) + Array("FRAME\n".utf8) + [UInt8](repeating: 1, count: 8)
            + Array("FRAME\n".utf8) + [UInt8](repeating: 2, count: 8)
        #expect(try folder.read("a.y4m") == expected)
        #expect(
            bench.errors.lines == [
                "\(folder.path("a.y4m")): 4x2, 2 frames",
                "left out: 1 frame: a frame is 2x1 GREY, and the file is 4x2 GREY",
            ])
        #expect(bench.exitCode == .success)
    }

    @Test("keeps what came before the camera was pulled out")
    func pulledOut() async throws {
        let folder = try ScratchFolder()
        let bench = CommandBench()
        let camera = bench.add(CameraFrame.self, "cam/camera")
        try await bench.clock.run {
            bench.start("watch", "--save", folder.path("a.y4m"))
            try await camera.deliver(frame(1))
            try await camera.finish(
                .disconnected("cam/camera", reason: "it was pulled out", hint: "plug it in again"))
            await bench.clock.settle()
        }
        #expect(bench.exitCode == .unavailable)
        #expect(try folder.read("a.y4m").count > 8)
    }

    @Test("saves what the plugin for image files shows")
    func imageFiles() async throws {
        let folder = try ScratchFolder()
        let bench = CommandBench()
        let files = ImageFilesSpy(["a.mjpeg": jpeg + jpeg], clock: bench.clock)
        try await bench.clock.run {
            try await bench.registry.add(files.plugin(for: files.host(showing: "a.mjpeg")))
            bench.start("watch", "camera", "--save", folder.path("b.jpg"))
            await bench.clock.advance(by: .seconds(1))
        }
        #expect(bench.exitCode == .success)
        #expect(bench.output.lines[0].contains("image-files/camera"))
        #expect(try folder.read("b.jpg").count == jpeg.count + 420)
    }

    @Test("replaces no file unless it is told to, and leaves none where nothing came")
    func existing() async throws {
        let folder = try ScratchFolder()
        try folder.write([1], as: "a.jpg")
        let careful = CommandBench()
        _ = careful.add(CameraFrame.self, "cam/camera")
        #expect(await careful.run("watch", "--save", folder.path("a.jpg")) == .inputOutput)
        #expect(careful.errors.text.contains("is there already; --force replaces it"))

        let idle = CommandBench()
        _ = idle.add(CameraFrame.self, "cam/camera")
        try await idle.clock.run {
            idle.start("watch", "--save", folder.path("a.jpg"), "--force", "--for", "1")
            await idle.clock.advance(by: .seconds(2))
        }
        #expect(idle.exitCode == .unavailable)
        #expect(idle.errors.text.contains("no frame came that could be saved"))
        #expect(try folder.read("a.jpg") == [1])
        #expect(folder.names == ["a.jpg"])

        let bold = CommandBench()
        let camera = bold.add(CameraFrame.self, "cam/camera")
        try await bold.clock.run {
            bold.start("watch", "--save", folder.path("a.jpg"), "--force")
            try await camera.deliver(made(.mjpeg, 16, 8, jpeg))
            try await camera.stopped()
        }
        #expect(try folder.read("a.jpg").count > 400)
        #expect(bold.exitCode == .success)
    }

    @Test("says that the file cannot be written, and which", arguments: ["a.jpg", "a.y4m"])
    func unwritable(name: String) async throws {
        let folder = try ScratchFolder()
        let bench = CommandBench()
        let camera = bench.add(CameraFrame.self, "cam/camera")
        let path = folder.path("missing/\(name)")
        try await bench.clock.run {
            bench.start("watch", "--save", path, "--count", "1")
            try await camera.deliver(
                name == "a.jpg" ? made(.mjpeg, 16, 8, jpeg) : frame(1))
            try await camera.stopped()
            await bench.clock.settle()
        }
        #expect(bench.exitCode == .inputOutput)
        #expect(bench.errors.text.contains("\(path) cannot be written"))
        #expect(!bench.errors.text.contains(".part"))
    }

    @Test(
        "takes one camera, and a name that says what to write",
        arguments: [
            ["watch", "gps/location", "--save", "a.png"],
            ["watch", "camera", "location", "--save", "a.png"],
            ["watch", "shake", "--save", "a.png"], ["watch", "--save", "a.gif"],
            ["watch", "--save", "png"],
        ])
    func misuse(arguments: [String]) async throws {
        let bench = CommandBench()
        _ = bench.location()
        _ = bench.add(CameraFrame.self, "cam/camera")
        #expect(await bench.run(arguments) == .misuse)
        #expect(bench.errors.text.contains("--save takes"))
    }

    // MARK: On a terminal

    @Test("shows the picture below the values, and not when the terminal is given back")
    func table() async throws {
        let bench = CommandBench(
            terminal: Terminal(columns: 40, rows: 12, colors: .direct))
        let camera = bench.add(CameraFrame.self, "cam/camera")
        try await bench.clock.run {
            let command = bench.start("watch", "camera")
            try await camera.deliver(frame(200))
            await bench.clock.advance(by: .milliseconds(300))
            command.cancel()
            try await camera.stopped()
        }
        let last = try #require(bench.screen.pictures.last)
        #expect(last.contains("\u{1b}[38;2;200;200;200;48;2;200;200;200m▀▀▀▀\u{1b}[0m"))
        #expect(last.contains { $0.contains("cam/camera · 4x2 · GREY") })
        #expect(!bench.output.text.contains("▀"))
    }

    @Test("shows none where there are no colours, no room, or the frame is damaged")
    func noPicture() throws {
        var table = WatchTable(["cam/camera"])
        table.add(frame(200), to: 0)
        func shows(_ terminal: Terminal) -> Bool {
            table.lines(for: terminal).contains { $0.style == .picture }
        }
        #expect(shows(Terminal(columns: 40, rows: 12, colors: .palette)))
        #expect(!shows(Terminal(columns: 40, rows: 12, colors: .none)))
        #expect(!shows(Terminal(columns: 40, rows: 12, isUnicode: false, colors: .direct)))
        #expect(!shows(Terminal(columns: 40, rows: 6, colors: .direct)))
        table.add(made(.grey, 4, 2, [1]), to: 0)
        let terminal = Terminal(columns: 200, rows: 12, colors: .direct)
        #expect(!shows(terminal))
        #expect(
            table.lines(for: terminal).last?.text.hasPrefix("  no picture: 1 bytes with 0 per row")
                == true)
    }

    @Test("never is higher than the terminal", arguments: [1, 2, 5, 9, 24, 100])
    func height(rows: Int) {
        var table = WatchTable(["a/camera", "b/camera"])
        for row in 0...1 {
            table.add(made(.grey, 30, 60, [UInt8](repeating: 1, count: 1800)), to: row)
        }
        let lines = table.lines(for: Terminal(columns: 20, rows: rows, colors: .direct))
        #expect(lines.count <= rows)
        #expect(lines.contains { $0.style == .picture } == (rows >= 24))
    }
}

@Suite("Pictures of characters", .timeLimit(.minutes(1)))
struct TerminalPictureTests {
    private func picture(_ width: Int, _ height: Int, _ pixel: (Int, Int) -> UInt8) throws
        -> Picture
    {
        var bytes: [UInt8] = []
        for row in 0..<height {
            for column in 0..<width {
                let value = pixel(column, row)
                bytes += [value, value, value]
            }
        }
        return try #require(Picture(width: width, height: height, bytes: bytes))
    }

    @Test("have two pixels in each character, and say a colour once for all that have it")
    func blocks() throws {
        let picture = try picture(3, 3) { column, row in UInt8(column == 2 ? 9 : row) }
        let lines = TerminalPicture.lines(of: picture, columns: 80, rows: 24, .direct)
        #expect(
            lines == [
                "\u{1b}[38;2;0;0;0;48;2;1;1;1m▀▀\u{1b}[38;2;9;9;9;48;2;9;9;9m▀\u{1b}[0m",
                "\u{1b}[38;2;2;2;2;49m▀▀\u{1b}[38;2;9;9;9;49m▀\u{1b}[0m",
            ])
    }

    @Test("fit, and keep their proportions", arguments: [(64, 48), (48, 64), (1000, 1), (1, 1000)])
    func size(width: Int, height: Int) throws {
        let picture = try picture(width, height) { _, _ in 100 }
        let lines = TerminalPicture.lines(of: picture, columns: 20, rows: 5, .palette)
        #expect((1...5).contains(lines.count))
        for line in lines { #expect((1...20).contains(line.filter { $0 == "▀" }.count)) }
        if width == 64 { #expect(lines[0].filter { $0 == "▀" }.count == 13) }
    }

    @Test("are the mean of what they stand for")
    func mean() throws {
        let picture = try picture(8, 8) { column, _ in column % 2 == 0 ? 0 : 100 }
        let lines = TerminalPicture.lines(of: picture, columns: 2, rows: 1, .direct)
        #expect(lines == ["\u{1b}[38;2;50;50;50;48;2;50;50;50m▀▀\u{1b}[0m"])
    }

    @Test("are nothing without colours or room")
    func none() throws {
        let picture = try picture(2, 2) { _, _ in 1 }
        #expect(TerminalPicture.lines(of: picture, columns: 20, rows: 5, .none).isEmpty)
        #expect(TerminalPicture.lines(of: picture, columns: 0, rows: 5, .direct).isEmpty)
        #expect(TerminalPicture.lines(of: Picture(), columns: 9, rows: 5, .direct).isEmpty)
    }

    @Test(
        "use the nearest colour of a palette",
        arguments: [
            (Pixel(red: 255, green: 255, blue: 255), 231), (Pixel(), 16),
            (Pixel(red: 255), 196), (Pixel(red: 128, green: 128, blue: 128), 244),
            (Pixel(red: 90, green: 140, blue: 220), 68),
        ])
    func palette(pixel: Pixel, index: Int) {
        #expect(TerminalPicture.paletteIndex(pixel) == index)
    }

    @Test(
        "depend on what the environment says of the terminal",
        arguments: [
            (["TERM": "xterm-256color", "COLORTERM": "truecolor"], .direct),
            (["TERM": "xterm-256color"], .palette), (["TERM": "xterm-direct"], .direct),
            (["TERM": "xterm"], .none), (["TERM": "linux"], .none), ([:], .none),
            (["TERM": "xterm-256color", "COLORTERM": "24bit", "NO_COLOR": "1"], .none),
            (["TERM": "xterm-256color", "NO_COLOR": ""], .palette),
        ] as [([String: String], Terminal.Colors)])
    func environment(variables: [String: String], colors: Terminal.Colors) {
        #expect(Terminal.colors(variables) == colors)
    }
}
