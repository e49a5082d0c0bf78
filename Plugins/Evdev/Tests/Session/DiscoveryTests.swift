import EvdevPlugin
import EvdevSpy
import Sensorium
import SensoriumTestKit
import Testing

@Suite("Input device discovery", .timeLimit(.minutes(1)))
struct DiscoveryTests {
    private func descriptors(
        _ inputs: [ScriptedInput], configuration: [String: String] = [:]
    ) async throws -> [SensorDescriptor] {
        try await Bench(inputs, configuration: configuration).plugin.discover().map(\.descriptor)
    }

    @Test("finds screens, and what has media keys, and opens none of them")
    func all() async throws {
        let bench = Bench([.screen(), .remote(), .keyboard()])
        let found = try await bench.plugin.discover().map(\.descriptor)
        #expect(
            found.map(\.id) == [
                "evdev/Scripted_Screen@spy-Scripted_Screen/touch",
                "evdev/Scripted_Remote@spy-Scripted_Remote/key",
                "evdev/Scripted_Keyboard@spy-Scripted_Keyboard/key",
            ])
        #expect(found.map(\.needs) == (0..<3).map { "/dev/input/event\($0)" })
        #expect(found.map(\.isPreferred) == [true, true, false])
        #expect(bench.spy.commands.isEmpty)
    }

    @Test("prefers a keyboard's media keys only where there is no remote control")
    func preference() async throws {
        let found = try await descriptors([.keyboard("/dev/input/event0"), .remote()])
        #expect(found.map(\.isPreferred) == [false, true])
        #expect(try await descriptors([.keyboard()]).map(\.isPreferred) == [true])
    }

    @Test("tells the keys of a keyboard only where the user wants that")
    func privacy() async throws {
        for choice in ["media", "all"] {
            let bench = Bench(
                [.keyboard("/dev/input/event1")], configuration: ["evdev.keys": choice])
            try await bench.clock.run {
                let listener = try await Listener(try await bench.sensor(KeyEvent.self))
                bench.spy.send([.key(30, 1)], to: "/dev/input/event1")
                bench.spy.press(.mute)
                await bench.clock.settle()
                #expect(
                    listener.words
                        == (choice == "all" ? ["pressed 30", "pressed mute"] : ["pressed mute"]))
                await listener.close()
            }
        }
    }

    @Test("says of a device that this user may not open that it is denied")
    func denied() async throws {
        let bench = Bench()
        bench.spy.setDenied(true)
        try await bench.clock.run {
            let sensor = try await bench.sensor(TouchEvent.self)
            #expect(!sensor.descriptor.isPreferred)
            let status = sensor.authorization
            #expect(status == .denied)
            let error = await #expect(throws: SensorError.self) {
                _ = try await bench.openScreen()
            }
            guard case .denied = error else { throw SpyError("\(String(describing: error))") }
            bench.spy.setDenied(false)
            let listener = try await bench.openScreen()
            await listener.close()
        }
    }

    private func node(
        _ path: String = "/dev/input/event0", port: String = "", serial: String = "",
        place: String? = nil
    ) -> InputNode {
        InputNode(path: path, name: "A b/c", port: port, serial: serial, place: place)
    }

    @Test("names devices by what stays the same")
    func names() {
        func tokens(_ nodes: InputNode...) -> [String] {
            InputInventory(nodes).entries.map(\.token)
        }
        #expect(tokens(node(serial: "12:34")) == ["A_b-c@12:34"])
        #expect(tokens(node(port: "usb-0000:00:14.0-2/input0")) == ["A_b-c@usb-0000:00:14.0-2"])
        #expect(tokens(node(port: "usb-0000:00:14.0-2/input3")) == ["A_b-c@usb-0000:00:14.0-2+3"])
        #expect(tokens(node(place: "virtual")) == ["A_b-c@virtual"])
        #expect(tokens(node()) == ["A_b-c@-dev-input-event0"])
        // Of two alike, the one whose place comes first is the first, whatever the numbers.
        #expect(
            tokens(
                node("/dev/input/event1", serial: "7", place: "b"),
                node("/dev/input/event2", serial: "7", place: "a"))
                == ["A_b-c@7~2", "A_b-c@7"])
    }

    @Test("knows surfaces by udev's word, and by their abilities where udev says nothing")
    func surfaces() {
        func surface(
            _ axes: Set<UInt16>, keys: Set<UInt16> = [], direct: Bool = false,
            _ properties: [String: String] = [:]
        ) -> TouchSurface? {
            InputNode(
                path: "", name: "", axes: axes, keys: keys, isDirect: direct, properties: properties
            ).surface
        }
        let contact: Set<UInt16> = [InputCode.contactX, InputCode.contactY]
        let single: Set<UInt16> = [InputCode.x, InputCode.y]
        let (touch, finger, pen) = (InputCode.touch, InputCode.fingerTool, InputCode.penTool)
        #expect(surface(contact, direct: true) == .screen)
        #expect(surface(contact, keys: [touch]) == .screen)
        #expect(surface(contact, keys: [touch, finger]) == .pad)
        #expect(surface(contact, keys: [touch, finger], direct: true) == .screen)
        #expect(surface(single, keys: [touch]) == .screen)
        #expect(surface(single, keys: [touch, pen]) == .tablet)
        // A joystick, a mouse, half a screen.
        #expect(surface(single, keys: [0x120]) == nil)
        #expect(surface([], keys: [0x110]) == nil)
        #expect(surface([InputCode.contactX], direct: true) == nil)
        #expect(surface(contact, keys: [touch], ["ID_INPUT": "1"]) == nil)
        #expect(
            surface(contact, keys: [touch], ["ID_INPUT": "1", "ID_INPUT_TOUCHPAD": "1"]) == .pad)
    }

    @Test("reads the bits that sysfs writes")
    func bits() {
        #expect(InputBits.numbers("b") == [0, 1, 3])
        #expect(InputBits.numbers("1 0", wordSize: 64) == [64])
        #expect(InputBits.numbers("1 0 80000000", wordSize: 32) == [31, 64])
        #expect(InputBits.numbers("2 xyz 1", wordSize: 64) == [0, 129])
        #expect(InputBits.numbers("") == [])
        let endless = Array(repeating: "ffffffffffffffff", count: 3000).joined(separator: " ")
        #expect(InputBits.numbers(endless).count == 65536)
    }
}
