import Glibc
import Sensorium
import SensoriumPluginKit

/// A program that loads plugins and may die of it: the tests run it as a child.
///
///     LoaderProbe [--nobody] [--usual] [--markers FOLDER] [--discover] [--access NODE] [FOLDER...]
///
/// Prints one line for each folder and file. With `--nobody` it first gives up root's rights, with
/// `--usual` it searches the usual folders too. `--access` says whether it may read a device node, and
/// opens it.
@main
struct LoaderProbe {
    static func main() async {
        var arguments = CommandLine.arguments.dropFirst()
        var markers: CrashMarkers?
        var folders: [String] = []
        var (looksUsual, discovers) = (false, false)
        while let argument = arguments.popFirst() {
            switch argument {
            case "--nobody": becomeNobody()
            case "--usual": looksUsual = true
            case "--markers": markers = arguments.popFirst().map { CrashMarkers(folder: $0) }
            case "--discover": discovers = true
            case "--access": if let node = arguments.popFirst() { tryAccess(to: node) }
            default: folders.append(argument)
            }
        }
        let path = looksUsual ? PluginSearchPath(first: folders) : PluginSearchPath(folders)
        let loader = PluginLoader(host: PluginHost(), crashMarkers: markers)
        let report = await loader.load(path)
        for folder in report.folders {
            say("folder \(folder.origin) \(folder.path) \(folder.outcome)")
        }
        for file in report.files { say("\(file)") }
        guard discovers else { return }
        for plugin in report.plugins {
            say("discovering \(plugin.manifest.id)")
            let sensors = try? await plugin.discover()
            say("discovered \(sensors?.map(\.id.rawValue) ?? [])")
        }
    }

    private static func tryAccess(to node: String) {
        let access = DeviceAccess(node)
        let foreseen = access.error(for: "probe/node").map { "\($0)" } ?? "may be opened"
        say("\(access.authorization): \(foreseen)")
        let descriptor = open(node, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        let met = descriptor < 0 ? "\(access.error(errno, for: "probe/node"))" : "was opened"
        if descriptor >= 0 { close(descriptor) }
        say(met == foreseen || descriptor >= 0 ? "opening: the same" : "opening: \(met)")
    }

    private static func say(_ line: String) {
        print(line)
        fflush(nil)
    }

    private static func becomeNobody() {
        let nobody: uid_t = 65534
        guard setgroups(0, nil) == 0, setgid(nobody) == 0, setuid(nobody) == 0 else {
            print("cannot become nobody")
            exit(77)
        }
    }
}
