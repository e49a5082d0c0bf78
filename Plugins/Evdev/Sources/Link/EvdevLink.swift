import Sensorium
import SensoriumPluginKit

/// The way to this machine's input devices: libevdev, or a spy in its place.
///
/// What it does may block. A session calls it only from a task that it starts with
/// `spawn(_:on:_:)`, so that the kernel blocks a thread of the session's own, and a spy, which has
/// no thread, runs on the clock.
package protocol EvdevLink: Sendable {
    /// A thread for one device's calls, which may block; nil where nothing blocks.
    func makeThread() -> SessionThread?
    /// The devices that are there now, as far as can be said without opening them.
    func nodes() -> [InputNode]
    /// Whether this process may open the node; false only for a missing right.
    func mayOpen(_ path: String) -> Bool
    /// Opens a node, and asks for stamps of boot time.
    func open(_ path: String) async throws(EvdevFault) -> any EvdevDevice
    /// Calls `changed` when a device comes or goes, until the watch is ended.
    ///
    /// - Returns: nil where nothing can be told: the kernel's events cannot be read.
    func watch(_ changed: @escaping @Sendable () -> Void) -> (any DeviceWatch)?
}

/// An open node; calls come one at a time, but for `interrupt`.
package protocol EvdevDevice: AnyObject, Sendable {
    /// The clock of the events' stamps: boot time, or UTC where the kernel would not change it.
    var clockDomain: ClockDomain { get }
    /// What it can tell, with the ranges of its axes.
    func capabilities() async throws(EvdevFault) -> InputCapabilities
    /// Waits for events, for as long as it takes.
    func wait() async throws(EvdevFault) -> EvdevSignal
    /// Adds the events that are there, none where none are.
    ///
    /// Where the kernel has lost events, what is added ends with `SYN_DROPPED` and `SYN_REPORT`, and
    /// `state` says what is true at that place; events since follow at the next call.
    func read(into events: inout [InputEvent]) async throws(EvdevFault)
    /// What is true at the place up to which events were read.
    func state() async throws(EvdevFault) -> InputState
    /// Makes a waiting `wait`, or the next one, return soon. May be called from anywhere.
    func interrupt()
    /// Closes the node.
    func close() async
}

/// What a wait for events ended with.
package enum EvdevSignal: Hashable, Sendable {
    /// Events are there, or the device is gone.
    case ready
    /// Somebody called `interrupt`.
    case interrupted
}
