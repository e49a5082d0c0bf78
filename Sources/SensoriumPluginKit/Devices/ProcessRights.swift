import Glibc

/// Who this process is, as far as the rights on a file go.
struct ProcessRights {
    /// Its effective user.
    var user: uid_t
    /// The user's name; nil where the number has none.
    var userName: String?
    /// Its effective and supplementary groups.
    var groups: Set<gid_t>
    /// The groups that the user is in by the group database, and would be in after logging in again.
    var groupsAtNextLogin: Set<gid_t>
    /// Where udev would find the rules that this package installs; nil where it would not.
    var installedRules: String?

    /// This process.
    static var current: ProcessRights {
        let user = geteuid()
        let entry = passwordEntry(of: user)
        return ProcessRights(
            user: user, userName: entry?.name, groups: groupsNow(),
            groupsAtNextLogin: entry.map { groups(of: $0.name, $0.group) } ?? [],
            installedRules: installedRules())
    }

    /// The name of the group with that number; nil where it has none.
    static func name(ofGroup group: gid_t) -> String? {
        withScratch { buffer, size in
            var entry = Glibc.group()
            var found: UnsafeMutablePointer<Glibc.group>?
            guard getgrgid_r(group, &entry, buffer, size, &found) == 0, found != nil
            else { return nil }
            return String(cString: entry.gr_name)
        }
    }

    /// The name of the user with that number; nil where it has none.
    static func name(ofUser user: uid_t) -> String? { passwordEntry(of: user)?.name }

    private static func passwordEntry(of user: uid_t) -> (name: String, group: gid_t)? {
        withScratch { buffer, size in
            var entry = passwd()
            var found: UnsafeMutablePointer<passwd>?
            guard getpwuid_r(user, &entry, buffer, size, &found) == 0, found != nil
            else { return nil }
            return (String(cString: entry.pw_name), entry.pw_gid)
        }
    }

    private static func groupsNow() -> Set<gid_t> {
        let count = getgroups(0, nil)
        var list = [gid_t](repeating: 0, count: max(0, Int(count)))
        let filled = getgroups(Int32(list.count), &list)
        return Set(list.prefix(max(0, Int(filled)))).union([getegid()])
    }

    private static func groups(of name: String, _ primary: gid_t) -> Set<gid_t> {
        var count: Int32 = 256
        var list = [gid_t](repeating: 0, count: Int(count))
        // Who is in more groups than that has no trouble with rights.
        guard getgrouplist(name, primary, &list, &count) >= 0 else { return [primary] }
        return Set(list.prefix(Int(count)))
    }

    /// Looks in udev's folders, the one that wins first.
    ///
    /// Source: udev(7).
    private static func installedRules() -> String? {
        ["/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib"]
            .map { "\($0)/udev/rules.d/\(NodeRights.rulesFile)" }
            .first { access($0, F_OK) == 0 }
    }

    /// Memory for one entry of the user and group databases.
    private static func withScratch<Result>(
        _ body: (UnsafeMutablePointer<CChar>, Int) -> Result?
    ) -> Result? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { buffer in
            buffer.baseAddress.flatMap { body($0, buffer.count) }
        }
    }
}
