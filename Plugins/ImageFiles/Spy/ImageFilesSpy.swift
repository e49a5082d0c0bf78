import ImageFilesPlugin
import Sensorium
import SensoriumPluginKit
import SensoriumTestKit

/// Stands in for the files that the plugin reads: bytes in memory, by their paths, which may be missing,
/// may not be read, fail, or be damaged.
///
/// ```swift
/// let files = ImageFilesSpy(["walk.mjpeg": bytes], clock: clock)
/// let registry = SensorRegistry(host: files.host(showing: "walk.mjpeg"))
/// try await registry.add(files.plugin(for: registry.host))
/// ```
///
/// A folder is there where the paths of files begin with it. Nothing here touches a disk or starts a
/// thread.
public final class ImageFilesSpy: Sendable {
    /// Where it writes what it saw; shared with other spies, if the test says so.
    public let journal: SpyJournal
    /// The test's clock.
    public let clock: VirtualClock

    struct State {
        var files: [String: [UInt8]]
        var isAway = false
        var isDenied = false
        var toFail = 0
        var toSpoil = 0
        var openCount = 0
        var keepsJournal = true
    }

    let state: Guarded<State>

    /// Makes files of those paths.
    public init(
        _ files: [String: [UInt8]], clock: VirtualClock = VirtualClock(),
        journal: SpyJournal = SpyJournal()
    ) {
        self.clock = clock
        self.journal = journal
        state = Guarded(State(files: files))
    }

    /// A host whose configuration names a file or folder.
    ///
    /// - Parameter configuration: more of it, such as `image-files.rate`.
    public func host(
        showing path: String, _ configuration: [String: String] = [:]
    ) -> PluginHost {
        PluginHost(
            clock: clock, configuration: { $0 == "image-files.path" ? path : configuration[$0] })
    }

    /// Makes the plugin over these files.
    public func plugin(for host: PluginHost) -> any PluginInstance {
        ImageFiles(host: host, link: self)
    }

    /// How many files are open.
    public var openCount: Int { state.withLock { $0.openCount } }

    /// Puts a file where another may be; nil takes it away.
    public func put(_ bytes: [UInt8]?, at path: String) {
        state.withLock { $0.files[path] = bytes }
    }

    /// Writes no more of each file that is opened, for tests that open a great many.
    public func keepNoOpenings() { state.withLock { $0.keepsJournal = false } }
}

extension ImageFilesSpy: ImageFilesLink {
    package func look(_ path: String) throws(ImageFileFault) -> ImagePlace {
        try state.withLock { state throws(ImageFileFault) in
            if state.isAway { throw ImageFileFault(errno: 2, path) }
            if state.files[path] != nil { return .file }
            let base = path.hasSuffix("/") ? path : path + "/"
            let names = state.files.keys.filter { $0.hasPrefix(base) }.map {
                String($0.dropFirst(base.count).prefix { $0 != "/" })
            }
            if names.isEmpty { throw ImageFileFault(errno: 2, path) }
            if state.isDenied { throw ImageFileFault(errno: 13, path) }
            return .folder(Array(Set(names)))
        }
    }

    package func open(_ path: String) throws(ImageFileFault) -> any OpenImageFile {
        if state.withLock({ $0.keepsJournal }) {
            journal.record(.said("open \(path)"), by: "files", at: clock.now)
        }
        let bytes = try state.withLock { state throws(ImageFileFault) -> [UInt8] in
            guard !state.isAway, let bytes = state.files[path] else {
                throw ImageFileFault(errno: 2, path)
            }
            if state.isDenied { throw ImageFileFault(errno: 13, path) }
            state.openCount += 1
            if state.toSpoil > 0 {
                state.toSpoil -= 1
                return Array(bytes.prefix(bytes.count / 2))
            }
            return bytes
        }
        return OpenSpyFile(bytes, path, self)
    }

    package func mayRead(_ path: String) -> Bool { state.withLock { !$0.isDenied } }

    package func makeThread() -> SessionThread? { nil }
}

extension ImageFilesSpy: FaultTarget {
    /// Whether a fault is one of what can be wrong with files, or with UTC.
    ///
    /// Those are `.drop`, `.notANumber`, `.unplug`, `.replug`, `.deny`, `.permit` and `.clockJump`.
    public func canSuffer(_ fault: Fault) -> Bool {
        switch fault {
        case .drop, .notANumber, .unplug, .replug, .deny, .permit, .clockJump: true
        default: false
        }
    }

    /// Makes `fault` happen.
    ///
    /// - `.drop`: the next reads fail with an input/output error.
    /// - `.notANumber`: the next file that is opened is cut in the middle.
    /// - `.unplug`, `.replug`: no file is there, and all are again; what is open can be read on.
    /// - `.deny`, `.permit`: files cannot be opened, and can; what is open can be read on.
    ///
    /// - Throws: `SpyError` for what it cannot suffer.
    public func suffer(_ fault: Fault) async throws {
        guard canSuffer(fault) else { throw SpyError("files cannot suffer this: \(fault)") }
        journal.record(.fault(fault.description), by: "files", at: clock.now)
        switch fault {
        case .drop(let count): state.withLock { $0.toFail += count }
        case .notANumber: state.withLock { $0.toSpoil += 1 }
        case .unplug: state.withLock { $0.isAway = true }
        case .replug: state.withLock { $0.isAway = false }
        case .deny: state.withLock { $0.isDenied = true }
        case .permit: state.withLock { $0.isDenied = false }
        case .clockJump(let time): clock.step(.realtime, by: time)
        default: break
        }
    }
}

private final class OpenSpyFile: OpenImageFile {
    private let bytes: [UInt8]
    private let path: String
    private let spy: ImageFilesSpy
    private let place = Guarded(0)

    init(_ bytes: [UInt8], _ path: String, _ spy: ImageFilesSpy) {
        self.bytes = bytes
        self.path = path
        self.spy = spy
    }

    deinit { spy.state.withLock { $0.openCount -= 1 } }

    func read(_ limit: Int) throws(ImageFileFault) -> [UInt8] {
        let fails = spy.state.withLock { state in
            guard state.toFail > 0 else { return false }
            state.toFail -= 1
            return true
        }
        if fails { throw ImageFileFault(errno: 5, path) }
        return place.withLock { place in
            let end = min(bytes.count, place + limit)
            defer { place = end }
            return Array(bytes[place..<end])
        }
    }
}
