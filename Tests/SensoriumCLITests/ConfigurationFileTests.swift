import Glibc
import Testing

@testable import SensoriumCLI

@Suite("Configuration file", .timeLimit(.minutes(1)))
struct ConfigurationFileTests {
    private func settings(_ text: String) throws -> Settings {
        try ConfigurationFile(path: "/c").settings(in: Array(text.utf8))
    }

    @Test("holds lines of key=value, empty lines and comments")
    func lines() throws {
        let settings = try settings(
            "# a comment\n\n  gpsd.address = boat.local:2947 \r\n\t# more\niio.uri=ip:a=b#c\n"
                + "gpsd.stale-after=5")
        #expect(settings.keys == ["gpsd.address", "gpsd.stale-after", "iio.uri"])
        #expect(settings["gpsd.address"] == "boat.local:2947")
        #expect(settings["iio.uri"] == "ip:a=b#c")
        #expect(settings["iio.other"] == nil)
    }

    @Test("lets a later line replace an earlier one, also by nothing")
    func replaced() throws {
        let settings = try settings("a.b=1\na.b=\n")
        #expect(settings["a.b"] == "")
    }

    @Test(
        "names the first bad line by its number",
        arguments: [
            ("a.b=1\nnonsense\n", "/c:2 is not key=value: 'nonsense'"),
            ("\n\n = 5", "/c:3 is not key=value: '= 5'"),
            ("address=5", "/c:1 is not key=value: 'address=5'"),
            ("a..b=5", "/c:1 is not key=value: 'a..b=5'"),
            ("gpsd.add ress=5", "/c:1 is not key=value: 'gpsd.add ress=5'"),
        ])
    func bad(text: String, message: String) throws {
        let failure = #expect(throws: CommandFailure.self) { try settings(text) }
        #expect(failure?.message == message)
        #expect(failure?.code == .badData)
        #expect(failure?.hint.contains("gpsd.address=") == true)
    }

    @Test("must be UTF-8")
    func encoding() {
        let failure = #expect(throws: CommandFailure.self) {
            try ConfigurationFile(path: "/c").settings(in: [0x61, 0x0a, 0xff])
        }
        #expect(failure?.message == "/c:1 is not key=value: 'a'")
        let second = #expect(throws: CommandFailure.self) {
            try ConfigurationFile(path: "/c").settings(in: [0x0a, 0xff])
        }
        #expect(second?.message == "/c:2 is not UTF-8 text")
    }

    @Test(
        "lies where the XDG base directories say",
        arguments: [
            (["XDG_CONFIG_HOME": "/x", "HOME": "/h"], "/x/sensorium/config"),
            (["XDG_CONFIG_HOME": "relative", "HOME": "/h"], "/h/.config/sensorium/config"),
            (["XDG_CONFIG_HOME": "", "HOME": "/h"], "/h/.config/sensorium/config"),
            (["HOME": "/h"], "/h/.config/sensorium/config"),
            (["HOME": ""], nil), ([:], nil),
        ])
    func path(environment: [String: String], path: String?) {
        #expect(ConfigurationFile(environment: environment)?.path == path)
    }

    @Test("holds nothing where it is not there")
    func missing() throws {
        let file = ConfigurationFile(path: "/nonexistent/sensorium/config")
        #expect(try file.settings() == Settings())
    }

    @Test("that is a FIFO is not waited for")
    func fifo() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/config"
        try #require(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        #expect(try ConfigurationFile(path: path).settings() == Settings())
    }

    @Test("that cannot be read is an error")
    func unreadable() {
        let failure = #expect(throws: CommandFailure.self) {
            try ConfigurationFile(path: "/").settings()
        }
        #expect(failure?.code == .noInput)
        #expect(failure?.message == "/ cannot be read: Is a directory")
    }
}
