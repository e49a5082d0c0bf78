/// How a run of the command ended, for the shell.
///
/// Source of the numbers: sysexits.h.
struct ExitCode: Hashable, Sendable {
    /// What the process gives back.
    var number: Int32

    static let success = ExitCode(number: 0)
    /// The command line is wrong.
    static let misuse = ExitCode(number: 64)
    /// What came in cannot be understood.
    static let badData = ExitCode(number: 65)
    /// A file to read is not there, or may not be opened.
    static let noInput = ExitCode(number: 66)
    /// A sensor, or what it stands on, is not there.
    static let unavailable = ExitCode(number: 69)
    /// A fault of this program or of a plugin.
    static let internalFault = ExitCode(number: 70)
    /// Output could not be written.
    static let inputOutput = ExitCode(number: 74)
    /// A right is missing.
    static let denied = ExitCode(number: 77)

    /// Ended by a signal, as shells count it.
    static func signal(_ number: Int32) -> ExitCode { ExitCode(number: 128 + number) }

    /// What the general help says of each.
    static let meanings: [(code: String, meaning: String)] = [
        ("0", "All went well, or nobody reads the output any more (as in '| head')."),
        ("64", "The command line is wrong."),
        (
            "65",
            "What came in cannot be understood: a line of the configuration file, malformed data."
        ),
        ("66", "A file to read is not there, or cannot be opened."),
        ("69", "A sensor, or the daemon or device behind it, is not there."),
        ("70", "A plugin broke its contract, or this program is at fault."),
        ("74", "The output could not be written."),
        ("77", "This user may not read the sensor."),
        ("130", "Ended by Ctrl-C (SIGINT); sensors are closed and the terminal is restored."),
        ("143", "Ended by SIGTERM; SIGHUP gives 129. All ends within a second."),
    ]
}
