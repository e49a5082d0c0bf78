#if Evdev
import CEvdev
import Glibc
import Sensorium
import SensoriumPluginKit

/// The link over libevdev and sysfs.
package struct LibevdevLink: EvdevLink {
    /// Makes the link.
    package init() {}

    package func makeThread() -> SessionThread? { SessionThread() }

    package func nodes() -> [InputNode] { SysfsInput.nodes() }

    package func mayOpen(_ path: String) -> Bool {
        DeviceAccess(path).authorization == .authorized
    }

    package func open(_ path: String) async throws(EvdevFault) -> any EvdevDevice {
        let file = Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        if file < 0 {
            let number = errno
            var fault = EvdevFault(errno: number, doing: "opening \(path)")
            if fault.condition == .denied {
                let error = DeviceAccess(path).error(number, for: "")
                (fault.reason, fault.hint) = (error.reason, error.hint)
            }
            throw fault
        }
        let wake = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        if wake < 0 {
            let number = errno
            Glibc.close(file)
            throw EvdevFault(errno: number, doing: "making an eventfd for \(path)")
        }
        return try LibevdevDevice(path: path, file: file, wake: wake)
    }

    package func watch(_ changed: @escaping @Sendable () -> Void) -> (any DeviceWatch)? {
        UeventWatch(subsystem: "input", changed)
    }
}

extension Evdev {
    /// Makes the plugin over this machine's input devices.
    public convenience init(host: PluginHost) { self.init(host: host, link: LibevdevLink()) }
}
#else
import Sensorium
import SensoriumPluginKit

extension Evdev {
    /// Makes the plugin, which finds nothing in a build without libevdev.
    public convenience init(host: PluginHost) { self.init(host: host, link: AbsentLink()) }
}

/// The link of a build without libevdev: it reaches nothing, and says so.
private struct AbsentLink: EvdevLink {
    func makeThread() -> SessionThread? { nil }

    func nodes() -> [InputNode] { [] }

    func mayOpen(_ path: String) -> Bool { true }

    func open(_ path: String) async throws(EvdevFault) -> any EvdevDevice {
        throw EvdevFault(
            .unsupported, "\(path) cannot be read: this build is without libevdev",
            hint: "build with the trait Evdev")
    }

    func watch(_ changed: @escaping @Sendable () -> Void) -> (any DeviceWatch)? { nil }
}
#endif
