import Glibc
import Sensorium
import SensoriumTestKit
import Testing

/// The built command, run by a user who is in no group, and in those that its own hints name.
@Suite(
    "rights on a real kernel", .serialized, .timeLimit(.minutes(3)),
    .enabled(if: Guest.isHere, Guest.absence))
struct KernelRightsTests {
    /// What the command wrote, and its exit status.
    struct Outcome {
        var text: String
        var status: Int32
    }

    /// Where the command and its plugins lie, for users who may not enter the folder they were built in.
    private static let products = "/run/products"

    @Test("polls what the user may not capture, and says which rule gives the right; the rule does")
    func rule() async throws {
        try Guest.hid("set accel 10 -20 1000")
        let before = try await sensorium("probe", "acceleration", "--json", groups: [])
        #expect(before.text.contains("accel_3d@HID-SENSOR-200073 is polled"), "\(before)")
        #expect(before.text.contains("permission denied (EACCES)"), "\(before)")
        for hint in [
            "70-sensorium.rules", "groupadd --system sensorium", "usermod", "udevadm trigger",
        ] {
            #expect(before.text.contains(hint), "\(before)")
        }

        let rules = #filePath.replacing("Tests/SystemTests/VM/KernelRightsTests.swift", with: "")
        for command in [
            "install -m 644 \(rules)Resources/udev/70-sensorium.rules /etc/udev/rules.d",
            "groupadd --system --force sensorium",
            "udevadm control --reload",
            "udevadm trigger --action=add --subsystem-match=iio --settle",
            // Rules that run programs, which may take longer than the events.
            "udevadm settle",
        ] {
            let outcome = try await run(["/bin/sh", "-c", command])
            #expect(outcome.status == 0, "\(command): \(outcome)")
        }

        let after = try await sensorium(
            "watch", "acceleration", "--count", "20", "--json", groups: ["sensorium"])
        #expect(after.status == 0, "\(after)")
        #expect(!after.text.contains("accel_3d@HID-SENSOR-200073 is polled"), "\(after)")
        let readings = after.text.split(separator: "\n").filter { $0.contains("accel_3d@") }
        #expect(!readings.isEmpty)
        #expect(readings.allSatisfy { $0.contains(#""x":0.0980665,"#) }, "\(after)")
    }

    @Test("a camera is denied to who is not in its group, and works for who is")
    func camera() async throws {
        let before = try await sensorium("probe", "camera", "--json", groups: [])
        #expect(before.status != 0)
        #expect(before.text.contains(#""authorization":"denied""#), "\(before)")
        #expect(before.text.contains("usermod --append --groups video nobody"), "\(before)")
        let after = try await sensorium("probe", "camera", "--json", groups: ["video"])
        #expect(after.status == 0, "\(after)")
        #expect(after.text.contains(#""works":true"#), "\(after)")
    }

    @Test("a touch screen is denied, with the rule that would help; the rule does")
    func touchScreen() async throws {
        let udev = "udevadm trigger --action=add --subsystem-match=input && udevadm settle"
        let rules = "/etc/udev/rules.d/70-sensorium.rules"
        // Another test may have installed them.
        let removed = try await run(
            ["/bin/sh", "-c", "rm -f \(rules) && udevadm control --reload && \(udev)"])
        #expect(removed.status == 0, "\(removed)")
        let before = try await sensorium("probe", "touch", "--json", groups: [])
        #expect(before.text.contains(#""authorization":"denied""#), "\(before)")
        #expect(before.text.contains("the group input, with mode 0660"), "\(before)")
        #expect(before.text.contains("install the udev rule 70-sensorium.rules"), "\(before)")
        #expect(before.text.contains("--subsystem-match=input"), "\(before)")

        let source = #filePath.replacing("Tests/SystemTests/VM/KernelRightsTests.swift", with: "")
        let installed = try await run(
            [
                "/bin/sh", "-c",
                "install -m 644 \(source)Resources/udev/70-sensorium.rules /etc/udev/rules.d && "
                    + "groupadd --system --force sensorium && udevadm control --reload && \(udev)",
            ])
        #expect(installed.status == 0, "\(installed)")
        let given = try await sensorium("probe", "touch", "--json", groups: [])
        #expect(given.text.contains("usermod --append --groups sensorium nobody"), "\(given)")
        let after = try await sensorium("probe", "touch", "--json", groups: ["sensorium"])
        #expect(after.status == 0, "\(after)")
        #expect(after.text.contains(#""works":true"#), "\(after)")
    }

    /// Runs the command as the user nobody in these groups.
    private func sensorium(_ arguments: String..., groups: [String]) async throws -> Outcome {
        if access("\(Self.products)/sensorium", F_OK) != 0 {
            mkdir(Self.products, 0o755)
            let mounted = try await run(
                ["/bin/mount", "--bind", BuiltPlugins.folder, Self.products])
            try #require(mounted.status == 0, "\(mounted)")
        }
        let rights = groups.isEmpty ? "--clear-groups" : "--groups=\(groups.joined(separator: ","))"
        return try await run(
            ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", rights]
                + ["\(Self.products)/sensorium"] + arguments)
    }

    private func run(_ command: [String]) async throws -> Outcome {
        let folder = try TemporaryFolder()
        let log = folder.path + "/log"
        let status = try await Spawned(command, environment: ["HOME=/nonexistent"], output: log)
            .end()
        return Outcome(text: LogFile.text(log), status: status)
    }
}
