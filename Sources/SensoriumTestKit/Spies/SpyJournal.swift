import Sensorium

/// What all the spies of a test saw, in one order.
///
/// Give one journal to several spies to learn what came first. `verify()` throws when a spy saw
/// something that nobody expected, so that a test fails also when the app swallowed the error.
public final class SpyJournal: Sendable {
    /// One thing that a spy saw or did.
    public struct Entry: Sendable, Hashable, CustomStringConvertible {
        /// Its place in the journal, from 0.
        public var index: Int
        /// When, on the test's clock.
        public var instant: SensorInstant
        /// Who: the sensor's id, or the daemon's or device's name.
        public var spy: String
        /// What.
        public var event: Event

        /// `gps opened at boot+1000.000000s`.
        public var description: String { "\(spy) \(event) at \(instant)" }
    }

    /// What a spy can see or do.
    public enum Event: Sendable, Hashable {
        /// The app asked for the right to read the sensor.
        case askedForAuthorization
        /// The app opened the sensor.
        case opened(SamplingRequest)
        /// The app tried to open the sensor and got an error.
        case refused(SensorError)
        /// The app changed its request.
        case reconfigured(SamplingRequest)
        /// The app closed the sensor.
        case closed
        /// The test delivered readings.
        case delivered(Int)
        /// The test reported a status.
        case reported(SensorStatus)
        /// The test ended the sensor.
        case finished(SensorError?)
        /// A fault was injected.
        case fault(String)
        /// The code under test said something to the outside world: a command, an attribute.
        case said(String)
        /// Nobody expected this.
        case unexpected(String)
    }

    private let entries = Guarded<[Entry]>([])

    /// Makes an empty journal.
    public init() {}

    /// Everything so far, oldest first.
    public var all: [Entry] { entries.withLock { $0 } }

    /// What one spy saw and did, oldest first.
    public func events(of spy: some CustomStringConvertible) -> [Event] {
        let name = spy.description
        return all.filter { $0.spy == name }.map(\.event)
    }

    /// What nobody expected.
    public var unexpected: [Entry] {
        all.filter { if case .unexpected = $0.event { true } else { false } }
    }

    /// Adds an entry.
    ///
    /// Spies do; a test may add its own.
    public func record(
        _ event: Event, by spy: some CustomStringConvertible, at instant: SensorInstant
    ) {
        let name = spy.description
        entries.withLock {
            $0.append(Entry(index: $0.count, instant: instant, spy: name, event: event))
        }
    }

    /// Checks that nothing unexpected happened.
    ///
    /// - Throws: `SpyError` that lists what did.
    public func verify() throws {
        let found = unexpected
        if !found.isEmpty {
            throw SpyError(found.map(\.description).joined(separator: "\n"))
        }
    }
}

extension SpyJournal.Event: CustomStringConvertible {
    /// What happened, in words.
    public var description: String {
        switch self {
        case .askedForAuthorization: "was asked for authorization"
        case .opened(let request):
            "was opened" + (request.rate.map { " at \($0) Hz" } ?? "")
        case .refused(let error): "refused to open (\(error))"
        case .reconfigured(let request):
            "was reconfigured" + (request.rate.map { " to \($0) Hz" } ?? "")
        case .closed: "was closed"
        case .delivered(let count): "delivered \(count)"
        case .reported(let status): "reported \(status)"
        case .finished(let error): "finished" + (error.map { " by \($0)" } ?? "")
        case .fault(let what): "met a fault: \(what)"
        case .said(let what): "was told \(what)"
        case .unexpected(let what): "saw what nobody expected: \(what)"
        }
    }
}

/// A spy was used in a way that it was not set up for, or saw what nobody expected.
public struct SpyError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A sentence fit for a test's report.
    public var description: String

    /// Makes an error.
    public init(_ description: String) { self.description = description }
}
