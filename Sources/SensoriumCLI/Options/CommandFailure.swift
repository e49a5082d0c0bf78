import Sensorium

/// Why a command could not do what was asked, as a sentence for standard error.
struct CommandFailure: Error, Hashable {
    /// What the process gives back.
    var code: ExitCode
    /// What is wrong, as a clause.
    var message: String
    /// What to do about it, as a clause; empty where there is nothing to do.
    var hint: String

    init(_ code: ExitCode, _ message: String, hint: String = "") {
        self.code = code
        self.message = message
        self.hint = hint
    }

    static func misuse(_ message: String, hint: String = "") -> CommandFailure {
        CommandFailure(.misuse, message, hint: hint)
    }
}

extension CommandFailure: CustomStringConvertible {
    /// A clause, as in `there is no command 'wach'; did you mean 'watch'?`.
    var description: String { hint.isEmpty ? message : "\(message); \(hint)" }
}

extension CommandFailure {
    /// The failure of a command that could not do without the sensor.
    init(_ error: SensorError) {
        self.init(ExitCode(error), "\(error)")
    }
}

extension ExitCode {
    /// What a sensor's error means for the shell.
    init(_ error: SensorError) {
        switch error {
        case .unavailable, .busy, .disconnected, .timedOut, .unsupported: self = .unavailable
        case .denied: self = .denied
        case .malformed: self = .badData
        case .incompatible, .pluginFault: self = .internalFault
        case .cancelled: self = .success
        }
    }
}
