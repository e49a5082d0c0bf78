import Glibc

/// What this host's files say about a device: the kernel's own, and udev's record.
package struct SysfsDevice: Sendable, Hashable {
    /// Its folder: `/sys/bus/iio/devices/iio:device0`, `/sys/class/video4linux/video0`.
    package var folder: String
    /// The kernel's name of its subsystem, which names udev's record of a device without a node.
    package var subsystem: String

    /// Names a device, there or not.
    package init(_ folder: String, subsystem: String) {
        self.folder = folder
        self.subsystem = subsystem
    }

    /// The folder that the device is in, below /sys/devices: where it is plugged in.
    package var place: String? {
        guard let path = realpath(folder, nil) else { return nil }
        defer { free(path) }
        let parts = String(cString: path).split(separator: "/")
        guard parts.count > 3, parts[0] == "sys", parts[1] == "devices" else { return nil }
        return parts[2..<(parts.count - 1)].joined(separator: "/")
    }

    /// The text of one of its files without the space around it; nil where it cannot be read.
    package func attribute(_ name: String) -> String? {
        Self.text("\(folder)/\(name)").map { Self.trimmed($0) }
    }

    /// The properties that udev's rules and hardware database gave the device.
    ///
    /// Read from udev's own records, as libudev does; udev documents neither, but has kept the form
    /// since 2012. Where there is no udev, the kernel's own properties are all there are.
    package var properties: [String: String] {
        var properties: [String: String] = [:]
        func add(_ line: some StringProtocol) {
            guard let equals = line.firstIndex(of: "=") else { return }
            properties[String(line[..<equals])] = String(line[line.index(after: equals)...])
        }
        for line in Self.text("\(folder)/uevent")?.split(separator: "\n") ?? [] { add(line) }
        // A device without a node has no number, and goes by its name.
        let name = folder.split(separator: "/").last.map(String.init) ?? folder
        let record = attribute("dev").map { "c\($0)" } ?? "+\(subsystem):\(name)"
        for line in Self.text("/run/udev/data/\(record)")?.split(separator: "\n") ?? []
        where line.hasPrefix("E:") {
            add(line.dropFirst(2))
        }
        return properties
    }

    /// The content of a small file; nil where it cannot be read.
    package static func text(_ path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 1) { buffer in
            let count = Glibc.read(file, buffer.baseAddress, buffer.count)
            guard count >= 0 else { return nil }
            return String(decoding: UnsafeRawBufferPointer(buffer)[..<count], as: UTF8.self)
        }
    }

    /// The names in a folder; none where it cannot be read.
    package static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    private static func trimmed(_ text: String) -> String {
        var rest = Substring(text)
        func isPadding(_ character: Character) -> Bool {
            character.isWhitespace || character == "\0"
        }
        while let first = rest.first, isPadding(first) { rest.removeFirst() }
        while let last = rest.last, isPadding(last) { rest.removeLast() }
        return String(rest)
    }
}
