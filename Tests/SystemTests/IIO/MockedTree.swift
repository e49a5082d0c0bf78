/// A tree of devices for umockdev, made by a test.
struct MockedTree {
    var text = ""

    /// Adds a device.
    ///
    /// - Parameters:
    ///   - number: of `iio:device`.
    ///   - folder: where it is plugged in, below /sys/devices.
    ///   - properties: what udev says of it.
    ///   - scan: the types of the channels that can be captured, in the order of listing.
    ///   - node: what can be read from the device node, in bytes; nil for none, empty for a script.
    mutating func add(
        _ number: Int, name: String?, in folder: String, properties: [String: String] = [:],
        attributes: [String: String], scan: [(channel: String, index: Int, type: String)] = [],
        node: [UInt8]? = nil
    ) {
        let id = "iio:device\(number)"
        text += "P: /devices/\(folder)/\(id)\n"
        if let node {
            let content = node.map { byte in
                let digits = String(byte, radix: 16, uppercase: true)
                return digits.utf8.count == 1 ? "0" + digits : digits
            }
            text += "N: \(id)" + (node.isEmpty ? "" : "=\(content.joined())") + "\n"
        }
        text += "E: DEVNAME=/dev/\(id)\nE: DEVTYPE=iio_device\nE: SUBSYSTEM=iio\n"
        for (key, value) in properties.sorted(by: { $0.key < $1.key }) {
            text += "E: \(key)=\(value)\n"
        }
        if let name { add("name", name) }
        for (key, value) in attributes.sorted(by: { $0.key < $1.key }) { add(key, value) }
        if !scan.isEmpty {
            for (key, value) in [("enable", "0"), ("length", "2"), ("watermark", "1")] {
                add("buffer/\(key)", value)
            }
        }
        for channel in scan {
            add("scan_elements/in_\(channel.channel)_en", "0")
            add("scan_elements/in_\(channel.channel)_index", "\(channel.index)")
            add("scan_elements/in_\(channel.channel)_type", channel.type)
        }
        text += "\n"
    }

    /// Adds a trigger.
    mutating func addTrigger(_ number: Int, name: String, in folder: String) {
        text += "P: /devices/\(folder)/trigger\(number)\n"
        text += "E: DEVTYPE=iio_trigger\nE: SUBSYSTEM=iio\nA: name=\(name)\\n\n\n"
    }

    private mutating func add(_ name: String, _ value: String) {
        text += "A: \(name)=\(value)\\n\n"
    }

    /// What umockdev plays into a device node: pieces of bytes, each so many milliseconds after the
    /// last.
    static func script(for node: String, _ pieces: [(milliseconds: Int, bytes: [UInt8])]) -> [UInt8]
    {
        var script = Array("d 0 \(node)\n".utf8)
        for piece in pieces {
            script += Array("r \(piece.milliseconds) ".utf8)
            for byte in piece.bytes {
                if byte < 32 {
                    script += [UInt8(ascii: "^"), byte + 64]
                } else if byte == UInt8(ascii: "^") {
                    script += Array("^`".utf8)
                } else {
                    script.append(byte)
                }
            }
            script.append(UInt8(ascii: "\n"))
        }
        return script
    }

    /// Numbers of 16 bits, and then one of 64 at the next multiple of eight bytes.
    static func scan(_ axes: [Int16], stamp: Int64? = nil, bigEndian: Bool = false) -> [UInt8] {
        var bytes: [UInt8] = []
        for axis in axes {
            withUnsafeBytes(of: bigEndian ? axis.bigEndian : axis.littleEndian) { bytes += $0 }
        }
        if let stamp {
            while bytes.count % 8 != 0 { bytes.append(0) }
            withUnsafeBytes(of: stamp.littleEndian) { bytes += $0 }
        }
        return bytes
    }
}
