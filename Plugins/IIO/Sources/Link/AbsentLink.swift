#if !IIO
import Sensorium
import SensoriumPluginKit

/// The link of a build without libiio: it reaches nothing, and says so.
struct AbsentLink: IIOLink {
    func makeThread() -> SessionThread? { nil }

    func connect(to uri: String, timeout: Duration) async throws(IIOFault) -> any IIOContext {
        throw IIOFault(
            .unsupported,
            "\(uri) cannot be reached: this build is without libiio (build with the trait IIO)")
    }

    func authorization(of device: String) -> AuthorizationStatus { .authorized }

    func watch(_ changed: @escaping @Sendable () -> Void) -> (any DeviceWatch)? { nil }
}

extension IIO {
    /// Makes the plugin, which finds nothing in a build without libiio.
    public convenience init(host: PluginHost) { self.init(host: host, link: AbsentLink()) }
}
#endif
