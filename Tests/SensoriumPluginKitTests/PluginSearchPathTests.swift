import Testing

@testable import SensoriumPluginKit

@Suite("plugin search path", .timeLimit(.minutes(1)))
struct PluginSearchPathTests {
    private func folders(_ path: PluginSearchPath) -> [String] {
        path.folders.map { "\($0.origin) \($0.path)\($0.ignored == nil ? "" : " ignored")" }
    }

    @Test("asks option, environment, program, user and system, in this order")
    func order() {
        let path = PluginSearchPath(
            first: ["/mine"],
            in: ProcessSurroundings(
                environment: [
                    "SENSORIUM_PLUGIN_PATH": "/a::/b", "XDG_DATA_HOME": "/data", "HOME": "/home/me",
                ], program: "/opt/x/bin/sensorium"))
        #expect(
            folders(path).dropLast() == [
                "option /mine", "environment /a", "environment /b", "besideProgram /opt/x/bin",
                "prefix /opt/x/lib/sensorium/plugins", "user /data/sensorium/plugins",
                "system /usr/local/lib/sensorium/plugins",
            ])
        #expect(folders(path).last?.hasSuffix("-linux-gnu/sensorium/plugins") == true)
    }

    @Test("uses the home's default for a variable that is no absolute path")
    func home() {
        let path = PluginSearchPath(
            in: ProcessSurroundings(environment: ["XDG_DATA_HOME": "data", "HOME": "/home/me"]))
        #expect(folders(path).first == "user /home/me/.local/share/sensorium/plugins")
    }

    @Test("has only the program's and the system's folders without a home")
    func homeless() {
        let path = PluginSearchPath(in: ProcessSurroundings(program: "/sensorium"))
        #expect(folders(path).map { $0.prefix(6) } == ["beside", "system", "system"])
        #expect(path.folders.first?.path == "/")
    }

    @Test("ignores what the user says when the program has other rights than the user")
    func privileged() {
        let path = PluginSearchPath(
            first: ["/mine"],
            in: ProcessSurroundings(
                environment: ["SENSORIUM_PLUGIN_PATH": "/a", "HOME": "/home/me"],
                isPrivileged: true, program: "/usr/bin/sensorium"))
        let ignored = path.folders.filter { $0.ignored != nil }.map(\.origin)
        #expect(ignored == [.option, .environment, .user])
        #expect(
            CrashMarkers(ProcessSurroundings(environment: ["HOME": "/"], isPrivileged: true)) == nil
        )
    }

    @Test("looks beside the program only at files that are named like plugins")
    func names() {
        let beside = PluginSearchPath.Folder("/usr/bin", origin: .besideProgram)
        let other = PluginSearchPath.Folder("/plugins")
        #expect(beside.mayHold("libSensoriumGPSD.so"))
        #expect(!beside.mayHold("libgps.so"))
        #expect(other.mayHold("libgps.so"))
        #expect(!other.mayHold("libgps.so.1") && !other.mayHold(".hidden.so"))
    }
}
