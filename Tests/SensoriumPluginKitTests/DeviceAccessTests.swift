import Glibc
import Sensorium
import Testing

@testable import SensoriumPluginKit

@Suite("device access", .timeLimit(.minutes(1)))
struct DeviceAccessTests {
    private let id: SensorID = "probe/node"

    private func process(
        groups: Set<gid_t> = [1000], atNextLogin: Set<gid_t> = [1000], rules: String? = nil
    ) -> ProcessRights {
        ProcessRights(
            user: 1000, userName: "ann", groups: groups, groupsAtNextLogin: atNextLogin,
            installedRules: rules)
    }

    private func node(
        _ path: String, group: gid_t, _ name: String?, mode: mode_t,
        _ properties: [String: String] = [:]
    ) -> NodeRights {
        NodeRights(
            path: path,
            status: NodeRights.Status(
                owner: "root", group: group, groupName: name, permissions: mode),
            properties: properties)
    }

    @Test("tells to join the group that the node is for")
    func join() {
        let denial = node("/dev/video0", group: 44, "video", mode: 0o660)
            .denial(of: .readingAndWriting, to: process())
        #expect(
            denial.reason
                == "/dev/video0 belongs to root and the group video, with mode 0660, and this "
                + "process runs as ann, which is not in that group")
        #expect(
            denial.hint
                == "join the group: sudo usermod --append --groups video ann, then log in again")
    }

    @Test("warns of what else the group input may read")
    func input() {
        let denial = node("/dev/input/event3", group: 105, "input", mode: 0o660)
            .denial(of: .reading, to: process())
        #expect(denial.hint.hasSuffix("(who is in it can read every keyboard)"))
    }

    @Test(
        "tells to install the udev rule for screens and remote controls, rather than to join input",
        arguments: [
            (["ID_INPUT": "1", "ID_INPUT_TOUCHSCREEN": "1"], true),
            (["ID_INPUT": "1", "ID_INPUT_KEY": "1"], true),
            (["ID_INPUT": "1", "ID_INPUT_KEY": "1", "ID_INPUT_KEYBOARD": "1"], false),
            (["ID_INPUT": "1", "ID_INPUT_MOUSE": "1"], false),
        ])
    func inputRule(properties: [String: String], hasRule: Bool) {
        let denial = node("/dev/input/event3", group: 105, "input", mode: 0o660, properties)
            .denial(of: .reading, to: process())
        #expect(denial.hint.hasPrefix("install the udev rule 70-sensorium.rules") == hasRule)
        #expect(denial.hint.contains("--subsystem-match=input") == hasRule)
        #expect(denial.hint.contains("who is in it can read every keyboard") != hasRule)
    }

    @Test("tells to join the group that the rule gave a screen to")
    func inputGroup() {
        let denial = node(
            "/dev/input/event3", group: 990, "sensorium", mode: 0o660,
            ["ID_INPUT_TOUCHSCREEN": "1"]
        ).denial(of: .reading, to: process())
        #expect(denial.hint.hasPrefix("join the group: sudo usermod --append --groups sensorium"))
    }

    @Test("tells to log in again who has joined the group since")
    func loggedInBefore() {
        let denial = node("/dev/video0", group: 44, "video", mode: 0o660)
            .denial(of: .reading, to: process(atNextLogin: [1000, 44]))
        #expect(denial.hint == "ann has joined the group video since: log out and in again")
    }

    @Test("tells to install the udev rule where IIO's nodes are root's alone")
    func rule() {
        let denial = node("/dev/iio:device0", group: 0, "root", mode: 0o600)
            .denial(of: .reading, to: process())
        #expect(denial.hint.hasPrefix("install the udev rule 70-sensorium.rules"))
        #expect(denial.hint.contains("groupadd --system sensorium"))
        #expect(denial.hint.contains("--subsystem-match=iio"))
    }

    @Test("tells to make the group where the rule is there and has found none")
    func ruleWithoutGroup() {
        let rules = "/usr/local/lib/udev/rules.d/70-sensorium.rules"
        let denial = node("/dev/iio:device0", group: 0, "root", mode: 0o660)
            .denial(of: .reading, to: process(rules: rules))
        #expect(denial.hint.hasPrefix("\(rules) gives it to the group sensorium once"))
    }

    @Test(
        "names the group that udev would give a node to where nobody ran it",
        arguments: [
            ("/dev/video0", "video"), ("/dev/input/event0", "input"), ("/dev/ttyACM0", "dialout"),
        ])
    func withoutUdev(path: String, group: String) {
        let denial = node(path, group: 0, "root", mode: 0o600).denial(
            of: .reading, to: process(rules: "/etc/udev/rules.d/70-sensorium.rules"))
        #expect(denial.hint.contains("the group \(group)"))
        #expect(denial.hint.contains("sudo chgrp \(group) \(path)"))
    }

    @Test("a group that may only read does not let a camera be used")
    func readOnly() {
        let denial = node("/dev/video0", group: 44, "video", mode: 0o640)
            .denial(of: .readingAndWriting, to: process())
        #expect(!denial.hint.contains("usermod"))
        #expect(denial.reason.contains("mode 0640"))
    }

    @Test("blames the container where mode and group would do")
    func container() {
        let denial = node("/dev/video0", group: 44, "video", mode: 0o660)
            .denial(of: .reading, to: process(groups: [1000, 44]))
        #expect(denial.hint.contains("DeviceAllow=/dev/video0"))
    }

    @Test("blames the files in sysfs where an IIO node itself may be read")
    func sysfs() {
        let denial = node("/dev/iio:device0", group: 990, "sensorium", mode: 0o660)
            .denial(of: .reading, to: process(groups: [1000, 990]))
        #expect(denial.reason.contains("sysfs"))
    }

    @Test("says which folder keeps a process out")
    func folder() {
        let denial = NodeRights(path: "/dev/closed/node", status: nil)
            .denial(of: .reading, to: process())
        #expect(denial.hint.contains("namei -l /dev/closed/node"))
    }

    @Test(
        "takes a missing device for unavailable, never for denied",
        arguments: [ENOENT, ENOTDIR, ENODEV, ENXIO, EIO, EMFILE])
    func unavailable(number: Int32) {
        guard case .unavailable = DeviceAccess("/dev/video99").error(number, for: id) else {
            Issue.record("\(DeviceAccess("/dev/video99").error(number, for: id))")
            return
        }
    }

    @Test("takes a node in use for busy")
    func busy() {
        #expect(
            DeviceAccess("/dev/video0").error(EBUSY, for: id)
                == .busy(
                    id, reason: "another program uses /dev/video0",
                    hint: "find it with 'fuser -v /dev/video0', and end it"))
    }

    @Test("a node that is not there is no matter of rights")
    func absent() throws {
        let access = DeviceAccess("/dev/sensorium-has-no-such-node")
        #expect(access.authorization == .authorized)
        let error = try #require(access.error(for: id))
        guard case .unavailable(id, _, _) = error else {
            Issue.record("\(error)")
            return
        }
    }

    @Test("a node that may be read has no error")
    func allowed() {
        #expect(DeviceAccess("/dev/null", for: .readingAndWriting).authorization == .authorized)
        #expect(DeviceAccess("/dev/null", for: .readingAndWriting).error(for: id) == nil)
    }
}

/// What only another user can show.
@Suite(
    "device access without root's rights", .timeLimit(.minutes(1)),
    .enabled(if: geteuid() == 0, "only root can become somebody else"))
struct DeviceAccessRightsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func look(_ node: String) async throws -> [String] {
        let result = try await ChildProcess.probe("--nobody", "--access", node)
        try #require(result.status == 0, Comment(rawValue: result.output))
        return result.lines
    }

    private func make(_ name: String, group: gid_t, mode: mode_t) throws -> String {
        let node = folder / name
        let descriptor = open(node, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0)
        close(descriptor)
        try #require(chown(node, 0, group) == 0 && chmod(node, mode) == 0)
        return node
    }

    @Test("is denied by a node of another group, and names it")
    func group() async throws {
        let video = try #require(getgrnam("video")).pointee.gr_gid
        let lines = try await look(make("video0", group: video, mode: 0o660))
        try #require(lines.count == 2)
        #expect(lines[0].hasPrefix("denied: probe/node may not be used by this process: "))
        #expect(lines[0].contains("the group video, with mode 0660"))
        #expect(lines[0].contains("runs as nobody"))
        #expect(lines[0].contains("usermod --append --groups video nobody"))
        #expect(lines[1] == "opening: the same")
    }

    @Test("is denied by a node that is root's alone")
    func roots() async throws {
        let lines = try await look(make("node", group: 0, mode: 0o600))
        #expect(lines.first?.hasPrefix("denied: ") == true)
        #expect(lines.last == "opening: the same")
    }

    @Test("is denied by a folder that may not be entered")
    func folderClosed() async throws {
        mkdir(folder / "closed", 0o700)
        let lines = try await look(folder / "closed/node")
        #expect(lines.first?.hasPrefix("denied: ") == true)
        #expect(lines.first?.contains("namei -l") == true)
        #expect(lines.last == "opening: the same")
    }

    @Test("is not denied by what is not there, or is for everybody")
    func others() async throws {
        let absent = try await look(folder / "absent")
        #expect(absent.first?.hasPrefix("authorized: probe/node is unavailable: ") == true)
        #expect(absent.last == "opening: the same")
        let open = try await look(make("open", group: 0, mode: 0o644))
        #expect(open == ["authorized: may be opened", "opening: the same"])
    }
}
