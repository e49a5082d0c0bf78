import CV4L2
import Glibc
import Sensorium
import SensoriumPluginKit

/// The link over the kernel: sysfs, /dev and ioctl.
package struct KernelLink: V4L2Link {
    /// Makes the link.
    package init() {}

    package func makeThread() -> SessionThread? { SessionThread() }

    package func nodes() -> [VideoNode] {
        let folder = "/sys/class/video4linux"
        return SysfsDevice.names(in: folder).filter { $0.hasPrefix("video") }.sorted {
            ($0.utf8.count, $0) < ($1.utf8.count, $1)
        }.map { name in
            let device = SysfsDevice("\(folder)/\(name)", subsystem: "video4linux")
            var place = device.place
            if let path = place, path.hasSuffix("/video4linux") {
                place = String(path.dropLast("/video4linux".count))
            }
            let properties = device.properties
            return VideoNode(
                path: "/dev/" + (properties["DEVNAME"].map(Self.lastPart) ?? name),
                name: device.attribute("name") ?? name,
                index: device.attribute("index").flatMap { Int($0) } ?? 0, place: place,
                serial: device.attribute("device/../serial"), properties: properties)
        }
    }

    package func mayOpen(_ path: String) -> Bool {
        DeviceAccess(path, for: .readingAndWriting).authorization == .authorized
    }

    package func open(_ path: String) async throws(V4L2Fault) -> any V4L2Device {
        let file = cv4l2_open(path)
        if file < 0 { throw Self.fault(file, path) }
        let wake = cv4l2_wake()
        if wake < 0 {
            Glibc.close(file)
            throw V4L2Fault(errno: wake, doing: "making an eventfd for \(path)")
        }
        return KernelDevice(path: path, file: file, wake: wake)
    }

    private static func fault(_ number: Int32, _ path: String) -> V4L2Fault {
        var fault = V4L2Fault(errno: number, doing: "opening \(path)")
        if fault.condition == .denied {
            let error = DeviceAccess(path, for: .readingAndWriting).error(-number, for: "")
            (fault.reason, fault.hint) = (error.reason, error.hint)
        }
        return fault
    }

    package func holders(of path: String) -> [String] {
        let own = getpid()
        return SysfsDevice.names(in: "/proc").compactMap { Int32($0) }.sorted().compactMap {
            process in
            let folder = "/proc/\(process)/fd"
            let holds = SysfsDevice.names(in: folder).contains {
                Self.link("\(folder)/\($0)") == path
            }
            guard holds else { return nil }
            if process == own { return "this program itself" }
            let name = SysfsDevice("/proc/\(process)", subsystem: "").attribute("comm")
            return "\(name ?? "a program") (process \(process))"
        }
    }

    package func watch(_ changed: @escaping @Sendable () -> Void) -> (any DeviceWatch)? {
        UeventWatch(subsystem: "video4linux", changed)
    }

    private static func lastPart(_ path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }

    private static func link(_ path: String) -> String? {
        withUnsafeTemporaryAllocation(byteCount: Int(PATH_MAX), alignment: 1) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            let count = readlink(path, start.assumingMemoryBound(to: CChar.self), buffer.count)
            guard count > 0 else { return nil }
            return String(decoding: UnsafeRawBufferPointer(buffer)[..<count], as: UTF8.self)
        }
    }
}

extension V4L2 {
    /// Makes the plugin over this machine's cameras.
    public convenience init(host: PluginHost) { self.init(host: host, link: KernelLink()) }
}
