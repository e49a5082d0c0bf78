import Sensorium

/// The way to a gpsd: the seam that a spy replaces.
package protocol GPSDLink: Sendable {
    /// Whom it talks to, for people: `gpsd at 127.0.0.1:2947`.
    var peer: String { get }
    /// Connects. Must end, with an error, when the task is cancelled.
    func connect() async throws(GPSDLinkError) -> any GPSDChannel
}

/// One connection.
package protocol GPSDChannel: Sendable {
    /// Sends bytes. What cannot be sent shows up as an end of the input.
    func send(_ bytes: [UInt8])
    /// The next bytes that came; nil at the end, and when the task is cancelled. A cancelled call
    /// loses nothing: the next one gets what came.
    func receive() async throws(GPSDLinkError) -> [UInt8]?
    /// Ends the connection. Nothing of it is left when this returns.
    func close() async
}

/// Why there is no connection, in words for people.
package struct GPSDLinkError: Error, Equatable {
    /// Why, as a clause.
    package var reason: String
    /// What to do, as a clause.
    package var hint: String

    package init(reason: String, hint: String) {
        self.reason = reason
        self.hint = hint
    }
}
