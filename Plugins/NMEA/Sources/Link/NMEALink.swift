/// The way to a receiver: the seam that a spy replaces.
package protocol NMEALink: Sendable {
    /// What it reads, for people: `the serial device /dev/ttyUSB0`.
    var peer: String { get }
    /// Whether what comes was recorded, so that it comes at once and must be slowed down.
    var isRecording: Bool { get }
    /// Why this process lacks the right to read it; nil where it has it.
    var denial: NMEALinkError? { get }
    /// Opens it.
    ///
    /// Must end, with an error, when the task is cancelled.
    func connect() async throws(NMEALinkError) -> any NMEAChannel
}

extension NMEALink {
    package var isRecording: Bool { false }
    package var denial: NMEALinkError? { nil }
}

/// An open line.
package protocol NMEAChannel: Sendable {
    /// The next bytes that came; nil at the end, and when the task is cancelled.
    ///
    /// A cancelled call loses nothing: the next one gets what came.
    func receive() async throws(NMEALinkError) -> [UInt8]?
    /// The speed in bit/s, where it is being guessed; nil where it is known, or there is none.
    var guessedRate: Int? { get }
    /// Guesses another speed, since nothing that came could be understood.
    func guessNextRate()
    /// Ends it.
    ///
    /// Nothing of it is left when this returns.
    func close() async
}

extension NMEAChannel {
    package var guessedRate: Int? { nil }
    package func guessNextRate() {}
}

/// Why there is no line, in words for people.
package struct NMEALinkError: Error, Equatable {
    /// Why, as a clause.
    package var reason: String
    /// What to do, as a clause.
    package var hint: String

    package init(reason: String, hint: String) {
        self.reason = reason
        self.hint = hint
    }
}
