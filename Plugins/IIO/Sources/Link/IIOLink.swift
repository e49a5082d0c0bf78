import Sensorium
import SensoriumPluginKit

/// The way to IIO contexts: libiio, or a spy in its place.
///
/// What it does may block. A sensor calls it only from tasks that it starts with
/// `spawn(_:on:_:)`, so that the real link blocks a thread of the sensor's own, and a spy, which has no
/// thread, runs on the clock.
package protocol IIOLink: Sendable {
    /// A thread for one device's calls, which may block; nil where nothing blocks.
    func makeThread() -> SessionThread?
    /// Connects to the context of that address and lists what is in it.
    ///
    /// - Parameter timeout: how long each later call on the context may take.
    func connect(to uri: String, timeout: Duration) async throws(IIOFault) -> any IIOContext
    /// Whether this process may capture that device of this machine.
    func authorization(of device: String) -> AuthorizationStatus
    /// Calls `changed` when a device of this host comes or goes, until the watch is ended.
    ///
    /// - Returns: nil where nothing can be told: the kernel's events cannot be read.
    func watch(_ changed: @escaping @Sendable () -> Void) -> (any DeviceWatch)?
}

/// A connection to a context; calls come one at a time.
package protocol IIOContext: AnyObject, Sendable {
    /// What was there when the connection was made.
    var content: IIOContextContent { get }
    /// Reads an attribute.
    func read(_ attribute: IIOAttribute) async throws(IIOFault) -> String
    /// Writes an attribute.
    func write(_ text: String, to attribute: IIOAttribute) async throws(IIOFault)
    /// The name of the device's trigger; nil for none.
    func trigger(of device: String) async throws(IIOFault) -> String?
    /// Gives the device a trigger of the context.
    func setTrigger(_ trigger: String, of device: String) async throws(IIOFault)
    /// Starts capturing.
    func openBuffer(_ request: IIOBufferRequest) async throws(IIOFault) -> any IIOBuffer
    /// Ends the connection; buffers must be closed before.
    func close() async
}

/// What to capture.
package struct IIOBufferRequest: Hashable, Sendable {
    /// The device's id.
    package var device: String
    /// The ids of the channels, in the order of their scan indices.
    package var channels: [String]
    /// How many scans a refill brings.
    package var scans: Int
    /// How many refills the kernel can hold back for a reader that is late.
    package var blocks: Int
    /// How long a refill may take.
    package var timeout: Duration

    /// Makes a request.
    package init(device: String, channels: [String], scans: Int, blocks: Int, timeout: Duration) {
        self.device = device
        self.channels = channels
        self.scans = scans
        self.blocks = blocks
        self.timeout = timeout
    }
}

/// A running capture.
package protocol IIOBuffer: AnyObject, Sendable {
    /// Waits for the next scans. One call at a time.
    ///
    /// After a fault the buffer is spent: close it.
    func refill() async throws(IIOFault) -> IIORefill
    /// Where the library believes that the channel's element begins, in a scan of the last refill.
    func offset(ofChannel position: Int) -> Int?
    /// Makes a waiting `refill`, and every later one, fail soon. May be called from anywhere.
    func cancel()
    /// Ends the capture.
    func close() async
}

/// What a refill brought; the bytes are valid until the next call on the buffer.
package struct IIORefill {
    /// The scans.
    package var bytes: UnsafeRawBufferPointer
    /// How far apart the library believes the scans to be.
    package var step: Int

    /// Makes a refill.
    package init(bytes: UnsafeRawBufferPointer, step: Int) {
        self.bytes = bytes
        self.step = step
    }
}
