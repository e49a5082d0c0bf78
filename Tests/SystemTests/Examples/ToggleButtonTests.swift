import Glibc
import Sensorium
import SensoriumTestKit
import Testing

@Suite(
    "the button and the presenter, with a real gpsd", .timeLimit(.minutes(1)),
    .enabled(
        if: GPSDProcess.program != nil, "gpsd is not installed; run `sudo apt-get install gpsd`"))
struct ToggleButtonTests {
    @Test("a finger turns the button on and off, and the app says where gpsd's receiver is")
    func location() async throws {
        let daemon = try GPSDProcess()
        try await daemon.start()
        let feed = NMEAFeed(to: daemon.feedPorts[0])
        let app = try RunningProgram([
            "\(BuiltPlugins.folder)/ToggleButton", "--finger", "--set",
            "gpsd.address=\(daemon.address)",
        ])
        try await app.says("button: active\n")
        try await app.says("location: 10.2500 N, 20.5000 E\n")
        try await app.says("button: inactive\n")
        app.end()
        await feed.end()
        await daemon.stop()
    }
}

/// A program that writes to a pipe, until it is ended.
private final class RunningProgram {
    private let child: pid_t
    private let output: Int32
    private let clock = SystemClock()
    private var text = ""

    /// Starts it with an empty environment, so that it finds only the plugins beside it.
    init(_ words: [String]) throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        output = ends[0]
        _ = fcntl(output, F_SETFL, O_NONBLOCK)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        // The threads of a Swift program block most signals, and children inherit that.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        // `timeout` ends it when the tests crash.
        let command = ["/usr/bin/timeout", "-k", "1", "50"] + words
        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = [nil]
        defer {
            for text in arguments { free(text) }
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
            close(ends[1])
        }
        var started: pid_t = 0
        let fault = posix_spawn(&started, command[0], &actions, &attributes, &arguments, &variables)
        try #require(fault == 0)
        child = started
    }

    deinit {
        kill(child, SIGTERM)
        waitpid(child, nil, 0)
        close(output)
    }

    /// Waits until it has written `wanted`, after what was waited for before.
    func says(_ wanted: String) async throws {
        for _ in 0..<1500 {
            if let place = text.firstRange(of: wanted) {
                text = String(text[place.upperBound...])
                return
            }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = read(output, &buffer, buffer.count)
            if count > 0 {
                text += String(decoding: buffer[..<count], as: UTF8.self)
            } else if count == 0 {
                break
            } else {
                await clock.pause(for: .milliseconds(20))
            }
        }
        Issue.record("it did not say '\(wanted)', but '\(text)'")
    }

    /// Asks it to end.
    func end() { kill(child, SIGTERM) }
}
