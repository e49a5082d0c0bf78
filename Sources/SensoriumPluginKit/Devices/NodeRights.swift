import Glibc

/// Whom a device node is for.
struct NodeRights {
    /// The file of udev rules that this package installs.
    static let rulesFile = "70-sensorium.rules"

    /// The node.
    var path: String
    /// What the node says of itself; nil where its folder may not be entered.
    var status: Status?
    /// Whether the rules that this package installs are about it.
    var hasRule: Bool

    /// What the node says of itself.
    struct Status {
        /// The owner's name, or number.
        var owner: String
        /// Its group.
        var group: gid_t
        /// The group's name; nil where the number has none.
        var groupName: String?
        /// The bits of its mode that are about rights.
        var permissions: mode_t
    }

    /// Looks at a node.
    init(of path: String) {
        self.path = path
        hasRule = Self.hasRule(path, Self.properties(of: path))
        guard let status = FileStatus.following(path) else { return }
        self.status = Status(
            owner: ProcessRights.name(ofUser: status.st_uid) ?? "\(status.st_uid)",
            group: status.st_gid, groupName: ProcessRights.name(ofGroup: status.st_gid),
            permissions: status.st_mode & 0o777)
    }

    /// Rights that a test made up, of a node of which udev says so much.
    init(path: String, status: Status?, properties: [String: String] = [:]) {
        self.path = path
        self.status = status
        hasRule = Self.hasRule(path, properties)
    }

    /// What the rules of `rulesFile` ask, too.
    private static func hasRule(_ path: String, _ properties: [String: String]) -> Bool {
        if path.hasPrefix("/dev/iio:") { return true }
        guard path.hasPrefix("/dev/input/event") else { return false }
        return properties["ID_INPUT_TOUCHSCREEN"] == "1"
            || (properties["ID_INPUT_KEY"] == "1" && properties["ID_INPUT_KEYBOARD"] != "1")
    }

    private static func properties(of path: String) -> [String: String] {
        guard path.hasPrefix("/dev/input/") else { return [:] }
        let name = path.dropFirst("/dev/input/".count)
        return SysfsDevice("/sys/class/input/\(name)", subsystem: "input").properties
    }

    /// Why a process may not use the node, and what would help, each as a clause.
    func denial(
        of use: DeviceAccess.Use, to process: ProcessRights
    ) -> (reason: String, hint: String) {
        let user = process.userName ?? "user \(process.user)"
        guard let status else {
            return (
                "the folder of \(path) may not be entered by \(user)",
                "look at the folders' rights with 'namei -l \(path)'"
            )
        }
        let group = status.groupName ?? "\(status.group)"
        let wanted: mode_t = use == .reading ? 4 : 6
        let groupMay = (status.permissions >> 3) & wanted == wanted
        let isMember = process.groups.contains(status.group)
        let octal = String(status.permissions, radix: 8)
        let mode = String(repeating: "0", count: max(0, 4 - octal.count)) + octal
        let reason =
            "\(path) belongs to \(status.owner) and the group \(group), with mode \(mode), and this "
            + "process runs as \(user)"
        if groupMay, isMember {
            // The node's mode allows it, so something else does not: for IIO the files in sysfs.
            if isIIO { return ("what belongs to \(path) in sysfs is root's", ruleHint(process)) }
            return (
                "\(path) has mode \(mode), which is enough, but the kernel refuses it to this "
                    + "process",
                "a container or a systemd service must be given the device: --device \(path), or "
                    + "DeviceAllow=\(path) rw"
            )
        }
        // Root's own group is nobody's to join, and that of all keyboards is better not joined.
        if !groupMay || status.group == 0 || (hasRule && group == "input") {
            return (reason, ruleHint(process))
        }
        if process.groupsAtNextLogin.contains(status.group) {
            return (
                "\(reason), in a session without that group",
                "\(user) has joined the group \(group) since: log out and in again"
            )
        }
        var hint = "join the group: sudo usermod --append --groups \(group) \(name(of: process))"
        hint += ", then log in again"
        if group == "input" { hint += " (who is in it can read every keyboard)" }
        return ("\(reason), which is not in that group", hint)
    }

    private var isIIO: Bool { path.hasPrefix("/dev/iio:") }

    private func name(of process: ProcessRights) -> String { process.userName ?? "USER" }

    /// What gives the node to a group that can be joined.
    private func ruleHint(_ process: ProcessRights) -> String {
        let folder = "/etc/udev/rules.d"
        guard hasRule else {
            let group = Self.usualGroup(of: path)
            return "udev gives such nodes to the group \(group); without udev: sudo chgrp \(group) "
                + "\(path) && sudo chmod g+rw \(path)"
        }
        let join =
            "sudo groupadd --system sensorium && sudo usermod --append --groups sensorium "
            + "\(name(of: process)), log in again, and sudo udevadm control --reload && sudo udevadm "
            + "trigger --action=add --subsystem-match=\(isIIO ? "iio" : "input")"
        if let rules = process.installedRules {
            return "\(rules) gives it to the group sensorium once that is there: \(join)"
        }
        return "install the udev rule \(Self.rulesFile) ('make install' does, or copy it from "
            + "Resources/udev to \(folder)), then \(join)"
    }

    /// The group that Debian's udev gives nodes like this one to.
    private static func usualGroup(of path: String) -> String {
        let groups = [
            ("/dev/video", "video"), ("/dev/media", "video"), ("/dev/v4l", "video"),
            ("/dev/input/", "input"), ("/dev/tty", "dialout"), ("/dev/serial", "dialout"),
        ]
        return groups.first { path.hasPrefix($0.0) }?.1 ?? "sensorium"
    }
}
