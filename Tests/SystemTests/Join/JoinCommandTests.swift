import Glibc
import Sensorium
import SensoriumTestKit
import Testing

/// The programs that `join.sh` needs.
private let missing = ["unshare", "ip", "gpsd", "iiod", "umockdev-run", "bash", "date"].filter {
    name in
    !["/usr/sbin", "/usr/bin", "/sbin", "/bin"].contains { access("\($0)/\(name)", X_OK) == 0 }
}

@Suite(
    "sensorium join, with a real gpsd and a real iiod", .timeLimit(.minutes(2)), .serialized,
    .enabled(
        if: missing.isEmpty, "not installed: \(missing.joined(separator: " ")); run make test"),
    .enabled(if: geteuid() == 0, "a network of its own needs root"))
struct JoinCommandTests {
    /// What a run of the command gave.
    struct Outcome {
        var lines: [String]
        var notices: String
        var status: Int32
    }

    /// Runs `join.sh`, and everything that it starts, in namespaces that end with it.
    func join(from start: String, count: Int) async throws -> Outcome {
        let here = #filePath.split(separator: "/").dropLast().joined(separator: "/")
        let (output, notices) = (try TemporaryFile(), try TemporaryFile())
        let command =
            "exec unshare --net --pid --fork --kill-child --propagation unchanged --mount-proc "
            + "bash '/\(here)/join.sh' '\(BuiltPlugins.folder)/sensorium' '\(BuiltPlugins.folder)' "
            + "'/\(here)/accelerometer.umockdev' '\(start)' \(count) "
            + ">'\(output.path)' 2>'\(notices.path)' </dev/null"
        let words = ["sh", "-c", command]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var child: pid_t = 0
        let fault = posix_spawn(&child, "/bin/sh", nil, nil, &arguments, environ)
        try #require(fault == 0)
        var status: Int32 = 0
        while waitpid(child, &status, WNOHANG) == 0 {
            await SystemClock().pause(for: .milliseconds(20))
        }
        return Outcome(
            lines: try output.text().split(separator: "\n").map(String.init),
            notices: try notices.text(), status: (status >> 8) & 0xff)
    }

    @Test("pairs fixes and accelerations of this moment by their times")
    func now() async throws {
        let outcome = try await join(from: "now", count: 3)
        #expect(outcome.status == 0, "\(outcome.notices)")
        #expect(outcome.lines.count == 3)
        for line in outcome.lines {
            #expect(
                line.hasPrefix(#"{"location":{"sensor":"gpsd/location","kind":"location","t":"#))
            #expect(line.contains(#""latitude":10.25,"longitude":20.5,"altitudeMSL":100.0"#))
            #expect(line.contains(#""acceleration":{"sensor":"iio/"#))
            #expect(line.contains(#""x":0.117672,"y":-0.24515,"z":9.806"#))
            #expect(line.contains(#""skew":"#))
        }
    }

    @Test("pairs a log of 2018 by arrival, and says so")
    func oldLog() async throws {
        let outcome = try await join(from: "2018-03-17 18:15:35", count: 2)
        #expect(outcome.status == 0, "\(outcome.notices)")
        #expect(outcome.lines.count == 2)
        for line in outcome.lines {
            let location = line.prefix { $0 != "}" }
            #expect(location.contains(#""utc":"2018-03-17T18:15:"#))
            #expect(location.contains(#""timeSource":"arrival""#))
        }
        #expect(outcome.notices.contains("behind this host's clock"))
    }
}

/// A file that goes when the test ends.
private final class TemporaryFile {
    let path: String

    init() throws {
        var template = Array("/tmp/sensorium-join-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        try #require(descriptor >= 0)
        close(descriptor)
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { unlink(path) }

    func text() throws -> String {
        let file = try #require(fopen(path, "r"))
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
