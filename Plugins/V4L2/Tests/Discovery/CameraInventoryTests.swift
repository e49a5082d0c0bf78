import Testing
import V4L2Plugin

@Suite("Camera names (CAM-05)", .timeLimit(.minutes(1)))
struct CameraInventoryTests {
    private static let port = "pci0000:00/0000:00:14.0/usb1/1-1/1-1.2/1-1.2:1.0"

    private func names(_ nodes: VideoNode...) -> [String] {
        CameraInventory(nodes).entries.map(\.token)
    }

    @Test("are of the serial number or the port, not of the node's number")
    func usb() {
        for path in ["/dev/video0", "/dev/video7"] {
            #expect(
                names(VideoNode(path: path, name: "C920", place: Self.port, serial: "A1B2"))
                    == ["C920@A1B2"])
            #expect(
                names(VideoNode(path: path, name: "C920", place: Self.port))
                    == ["C920@usb-0000:00:14.0-1.2"])
        }
    }

    @Test("are of the place of a device that is not on USB, whatever its file 'serial' says")
    func platform() {
        #expect(
            names(
                VideoNode(
                    path: "/dev/video0", name: "vivid-000-vid-cap", place: "platform/vivid.0",
                    serial: "7")) == ["vivid-000-vid-cap@vivid.0"])
        #expect(names(VideoNode(path: "/dev/video3", name: "x")) == ["x@video3"])
    }

    @Test("tell the nodes of one device, and two like cameras, apart")
    func several() {
        let second = Self.port.replacing("1-1.2", with: "1-1.3")
        #expect(
            names(
                VideoNode(path: "/dev/video2", name: "Cam", place: second, serial: "0001"),
                VideoNode(path: "/dev/video0", name: "Cam", place: Self.port, serial: "0001"),
                VideoNode(
                    path: "/dev/video1", name: "Cam", index: 1, place: Self.port, serial: "0001"))
                == ["Cam@0001~2", "Cam@0001", "Cam@0001+1"])
    }

    @Test("hold nothing that cannot be written in an id")
    func hostile() {
        let names = names(
            VideoNode(
                path: "/dev/video0",
                name: "a/b c\u{7}\u{1b}[2J\u{85}" + String(repeating: "x", count: 500),
                place: Self.port))
        #expect(names[0].hasPrefix("a-b_c--[2J-xxx"))
        #expect(names[0].utf8.count <= 120)
        #expect(names[0].unicodeScalars.allSatisfy { $0.value > 0x20 && $0 != "/" })
    }
}
