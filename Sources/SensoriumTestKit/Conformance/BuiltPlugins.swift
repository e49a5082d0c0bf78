import Glibc

/// The loadable plugins that were built together with the tests that run.
///
/// SwiftPM puts a package's dynamic libraries beside its test program, so that a test can load what
/// an app would load:
///
/// ```swift
/// let loader = PluginLoader(host: host, crashMarkers: nil)
/// let file = await loader.load(file: BuiltPlugins.file(of: "GPSD"))
/// ```
public enum BuiltPlugins {
    /// The folder of the program that runs.
    public static var folder: String {
        let path = String(unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer in
            guard let start = buffer.baseAddress else { return 0 }
            return max(0, readlink("/proc/self/exe", start, buffer.count))
        }
        return String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    }

    /// The file of the plugin in `Plugins/<name>`, there or not.
    public static func file(of name: String) -> String { "\(folder)/libSensorium\(name).so" }
}
