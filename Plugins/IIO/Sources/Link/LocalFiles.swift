import Glibc

/// What this host's files say about IIO devices beyond what libiio tells.
enum LocalFiles {
    private static let devices = "/sys/bus/iio/devices"

    /// The folder that the device is in, below /sys/devices: where it is plugged in.
    static func place(of device: String) -> String? {
        guard let path = realpath("\(devices)/\(device)", nil) else { return nil }
        defer { free(path) }
        let parts = String(cString: path).split(separator: "/")
        guard parts.count > 3, parts[0] == "sys", parts[1] == "devices" else { return nil }
        return parts[2..<(parts.count - 1)].joined(separator: "/")
    }

    /// The properties that udev's rules and hardware database gave the device.
    ///
    /// Read from udev's own records, as libudev does; udev documents neither, but has kept the form
    /// since 2012. Where there is no udev, the kernel's own properties are all there are.
    static func properties(of device: String) -> [String: String] {
        var properties: [String: String] = [:]
        func add(_ line: some StringProtocol) {
            guard let equals = line.firstIndex(of: "=") else { return }
            properties[String(line[..<equals])] = String(line[line.index(after: equals)...])
        }
        for line in text("\(devices)/\(device)/uevent")?.split(separator: "\n") ?? [] { add(line) }
        // A device without a node has no number, and goes by its name.
        let number = text("\(devices)/\(device)/dev").map { AttributeText.trimmed($0) }
        let record = number.map { "c\($0)" } ?? "+iio:\(device)"
        for line in text("/run/udev/data/\(record)")?.split(separator: "\n") ?? []
        where line.hasPrefix("E:") {
            add(line.dropFirst(2))
        }
        return properties
    }

    /// The content of a small file; nil where it cannot be read.
    static func text(_ path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 1) { buffer in
            let count = Glibc.read(file, buffer.baseAddress, buffer.count)
            guard count >= 0 else { return nil }
            return String(decoding: UnsafeRawBufferPointer(buffer)[..<count], as: UTF8.self)
        }
    }
}
