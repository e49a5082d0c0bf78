import Sensorium
import SensoriumPluginKit

/// The way to this machine's cameras: the kernel, or a spy in its place.
///
/// What it does may block. A session calls it only from a task that it starts with
/// `spawn(_:on:_:)`, so that the kernel blocks a thread of the session's own, and a spy, which has
/// no thread, runs on the clock.
package protocol V4L2Link: Sendable {
    /// A thread for one camera's calls, which may block; nil where nothing blocks.
    func makeThread() -> SessionThread?
    /// The nodes that are there now.
    func nodes() -> [VideoNode]
    /// Whether this process may open the node; false only for a missing right.
    func mayOpen(_ path: String) -> Bool
    /// Opens a node.
    func open(_ path: String) async throws(V4L2Fault) -> any V4L2Device
    /// The programs that have the node open, as far as this process may know: `cheese (process 912)`.
    func holders(of path: String) -> [String]
    /// Calls `changed` when a camera comes or goes, until the watch is ended.
    ///
    /// - Returns: nil where nothing can be told: the kernel's events cannot be read.
    func watch(_ changed: @escaping @Sendable () -> Void) -> (any DeviceWatch)?
}

/// An open node; calls come one at a time, but for `interrupt`.
///
/// Each call is the ioctl that its comment names.
package protocol V4L2Device: AnyObject, Sendable {
    /// VIDIOC_QUERYCAP; decides between single- and multi-planar calls from then on.
    func capability() async throws(V4L2Fault) -> V4L2Capability
    /// VIDIOC_ENUM_FMT; nil after the last one.
    func format(at index: Int) async throws(V4L2Fault) -> PixelFormat?
    /// VIDIOC_ENUM_FRAMESIZES; nil after the last one.
    func size(of pixels: PixelFormat, at index: Int) async throws(V4L2Fault) -> V4L2SizeRange?
    /// VIDIOC_ENUM_FRAMEINTERVALS; nil after the last one.
    func interval(
        of pixels: PixelFormat, width: Int, height: Int, at index: Int
    ) async throws(V4L2Fault) -> V4L2IntervalRange?
    /// VIDIOC_S_FMT: what the driver makes of the wish.
    func setFormat(_ wish: V4L2Format) async throws(V4L2Fault) -> V4L2Format
    /// VIDIOC_G_FMT.
    func format() async throws(V4L2Fault) -> V4L2Format
    /// VIDIOC_S_PARM.
    func setInterval(_ interval: V4L2Interval) async throws(V4L2Fault)
    /// VIDIOC_G_PARM.
    func interval() async throws(V4L2Fault) -> V4L2Interval
    /// VIDIOC_REQBUFS for memory to be mapped: how many there are.
    func requestBuffers(_ count: Int) async throws(V4L2Fault) -> Int
    /// VIDIOC_QUERYBUF and mmap.
    func map(_ index: Int) async throws(V4L2Fault) -> any V4L2Memory
    /// VIDIOC_QBUF.
    func queue(_ index: Int) async throws(V4L2Fault)
    /// VIDIOC_DQBUF; nil where no frame is there.
    func dequeue() async throws(V4L2Fault) -> V4L2Buffer?
    /// VIDIOC_STREAMON.
    func start() async throws(V4L2Fault)
    /// VIDIOC_STREAMOFF.
    func stop() async
    /// poll(2): waits for a frame.
    func wait(for limit: Duration) async throws(V4L2Fault) -> V4L2Event
    /// Makes a waiting `wait`, or the next one, return soon. May be called from anywhere.
    func interrupt()
    /// Closes the node; memory that was mapped stays until its last owner lets it go.
    func close() async
}

/// What a wait for a frame ended with.
package enum V4L2Event: Hashable, Sendable {
    /// A frame is there.
    case ready
    /// POLLERR or POLLHUP: the stream is over, or the camera is gone.
    case broken
    /// Somebody called `interrupt`.
    case interrupted
    /// The time is up.
    case timedOut
}

/// A mapped buffer, until its last owner lets it go.
package protocol V4L2Memory: AnyObject, Sendable {
    /// The memory.
    var bytes: UnsafeRawBufferPointer { get }
}
