import Sensorium

/// What `SensorConformance` found.
///
/// Print it: it says what is wrong, and where.
public struct ConformanceReport: Sendable, Hashable {
    /// What was examined: a plugin's or a sensor's id.
    public var subject: String
    /// One for each check of each sensor, in the order of checking.
    public var findings: [Finding]

    /// Makes a report.
    public init(subject: String, findings: [Finding]) {
        self.subject = subject
        self.findings = findings
    }

    /// Whether no check failed; skipped ones do not count (see `skipped`).
    public var passed: Bool { failures.isEmpty }

    /// The checks that failed.
    public var failures: [Finding] {
        findings.filter { if case .failed = $0.outcome { true } else { false } }
    }

    /// The checks that could not be made.
    public var skipped: [Finding] {
        findings.filter { if case .skipped = $0.outcome { true } else { false } }
    }

    /// What became of one check.
    public struct Finding: Sendable, Hashable {
        /// What was looked at.
        public var check: ConformanceCheck
        /// Whose; nil for a check of the plugin.
        public var sensor: SensorID?
        /// What was found.
        public var outcome: Outcome

        /// Makes a finding.
        public init(_ check: ConformanceCheck, of sensor: SensorID? = nil, _ outcome: Outcome) {
            self.check = check
            self.sensor = sensor
            self.outcome = outcome
        }
    }

    /// What a check can come to.
    public enum Outcome: Sendable, Hashable {
        /// It is as it should be.
        case passed
        /// It is not, and why.
        case failed(String)
        /// It could not be looked at, and why.
        case skipped(String)
    }
}

extension ConformanceReport: CustomStringConvertible {
    /// A summary in one line, and a line for each check that failed or was skipped; one for all that
    /// were skipped of a sensor for the same reason.
    public var description: String {
        let passedCount = findings.count - failures.count - skipped.count
        let verdict = passed ? "conforms" : "does not conform"
        let summary =
            "\(subject) \(verdict): \(passedCount) checks passed, \(failures.count) failed, "
            + "\(skipped.count) skipped"
        return ([summary] + (failures.map(\.description) + skippedInWords).map { "  \($0)" })
            .joined(separator: "\n")
    }

    private var skippedInWords: [String] {
        var lines: [String] = []
        var rest = skipped[...]
        while let first = rest.first {
            let alike = rest.prefix { $0.sensor == first.sensor && $0.outcome == first.outcome }
            rest = rest.dropFirst(alike.count)
            if alike.count > 2, case .skipped(let reason) = first.outcome {
                let place = first.sensor.map { "\($0): " } ?? ""
                lines.append("skipped  \(place)\(alike.count) checks: \(reason)")
            } else {
                lines += alike.map(\.description)
            }
        }
        return lines
    }
}

extension ConformanceReport.Finding: CustomStringConvertible {
    /// `failed   gpsd/location: instants never go back: reading 3 is 1.000 s before reading 2`.
    public var description: String {
        let place = sensor.map { "\($0): " } ?? ""
        return switch outcome {
        case .passed: "passed   \(place)\(check.rawValue)"
        case .failed(let reason): "failed   \(place)\(check.rawValue): \(reason)"
        case .skipped(let reason): "skipped  \(place)\(check.rawValue): \(reason)"
        }
    }
}
