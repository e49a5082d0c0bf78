/// A touch screen for umockdev: what it answers to libevdev's questions, and the events that it plays.
struct MockedScreen {
    /// An event: so many milliseconds after the node was opened, its type, code and value.
    typealias Event = (milliseconds: Int, type: Int, code: Int, value: Int32)

    /// The largest value of both axes, whose smallest is 0.
    var maximum: Int32 = 65535
    /// Who is in slot 0 when it is opened, and whenever it is asked again; nil for nobody.
    var contact: (id: Int32, x: Int32, y: Int32)?
    /// What it plays.
    var events: [Event]

    /// The events in the form of evemu-record.
    var recording: String {
        events.map { event in
            let (seconds, rest) = event.milliseconds.quotientAndRemainder(dividingBy: 1000)
            let fraction = String(1_000_000 + rest * 1000).dropFirst()
            func hex(_ number: Int) -> String {
                String(String(0x10000 + number, radix: 16).dropFirst())
            }
            return "E: \(seconds).\(fraction) "
                + "\(hex(event.type)) \(hex(event.code)) \(event.value)\n"
        }.joined()
    }

    /// The answers in the form of umockdev-record: a number of bytes, and the bytes.
    ///
    /// Sources: linux/input.h; axes 0, 1, 47, 53, 54, 57 and the button 0x14a.
    func answers(at node: String) -> String {
        func hex(_ bytes: [UInt8], _ size: Int) -> String {
            (bytes + Array(repeating: 0, count: size - bytes.count)).map { byte in
                String(String(0x100 + Int(byte), radix: 16, uppercase: true).dropFirst())
            }.joined()
        }
        func words(_ words: [Int32]) -> [UInt8] {
            words.flatMap { word in withUnsafeBytes(of: word.littleEndian) { Array($0) } }
        }
        func bits(_ numbers: [Int], _ size: Int) -> String {
            var bytes = [UInt8](repeating: 0, count: size)
            for number in numbers { bytes[number / 8] |= 1 << (number % 8) }
            return "\(size) \(hex(bytes, size))"
        }
        var lines = [
            "@DEV \(node)", "EVIOCGVERSION 0 01000100", "EVIOCGID 0 1800000000000000",
            "EVIOCGNAME(0) 5 \(hex(Array("mock".utf8), 255))",
            "EVIOCGPHYS(0) 1 \(hex([], 255))", "EVIOCGUNIQ(0) 1 \(hex([], 255))",
            "EVIOCGLED(0) \(bits([], 8))", "EVIOCGSW(0) \(bits([], 8))",
            "EVIOCGPROP(0) \(bits([1], 8))", "EVIOCGBIT(0) \(bits([0, 1, 3], 8))",
            "EVIOCGBIT(1) \(bits([0x14a], 96))", "EVIOCGBIT(3) \(bits([0, 1, 47, 53, 54, 57], 8))",
        ]
        for type in [2, 4, 5, 17, 18] { lines.append("EVIOCGBIT(\(type)) \(bits([], 8))") }
        lines += ["EVIOCGBIT(21) \(bits([], 16))", "EVIOCGKEY(0) \(bits([], 96))"]
        for (axis, largest) in [
            (0, maximum), (1, maximum), (47, 9), (53, maximum), (54, maximum), (57, 65535),
        ] {
            let name = axis == 0 ? "EVIOCGABS" : "EVIOCGABS(\(axis))"
            lines.append("\(name) 0 \(hex(words([0, 0, largest, 0, 0, 0]), 24))")
        }
        let slots = Array(repeating: Int32(0), count: 255)
        let free = Array(repeating: Int32(-1), count: 255)
        for (axis, first, others) in [
            (53, contact?.x ?? 0, slots), (54, contact?.y ?? 0, slots),
            (57, contact?.id ?? -1, free),
        ] {
            lines.append("EVIOCGMTSLOTS(0) 0 \(hex(words([Int32(axis), first] + others), 1028))")
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension MockedTree {
    /// Adds a touch screen.
    ///
    /// - Parameters:
    ///   - number: of its node, `event`.
    ///   - name: what its driver calls it.
    ///   - properties: what udev says of it, besides what it is.
    mutating func addScreen(_ number: Int, name: String, properties: [String: String] = [:]) {
        let folder = "/devices/virtual/input/input\(number)"
        text += "P: \(folder)\nE: SUBSYSTEM=input\nE: ID_INPUT=1\nE: ID_INPUT_TOUCHSCREEN=1\n"
        for (attribute, value) in [
            ("name", name), ("properties", "2"), ("capabilities/abs", "260800000000003"),
            ("capabilities/key", "400 0 0 0 0 0"), ("phys", ""), ("uniq", ""),
        ] {
            text += "A: \(attribute)=\(value)\\n\n"
        }
        text += "\nP: \(folder)/event\(number)\nN: input/event\(number)\n"
        let all = [
            "DEVNAME": "/dev/input/event\(number)", "SUBSYSTEM": "input", "ID_INPUT": "1",
            "ID_INPUT_TOUCHSCREEN": "1", "MAJOR": "13", "MINOR": "\(64 + number)",
        ].merging(properties) { _, new in new }
        for (key, value) in all.sorted(by: { $0.key < $1.key }) { text += "E: \(key)=\(value)\n" }
        text += "A: dev=13:\(64 + number)\\n\nL: device=../../input\(number)\n\n"
    }
}
