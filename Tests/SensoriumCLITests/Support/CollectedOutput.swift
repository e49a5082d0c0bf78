import Sensorium

@testable import SensoriumCLI

/// Takes a command's text in place of a descriptor.
final class CollectedOutput: TextOutput {
    private let bytes = Guarded<[UInt8]>([])

    func write(_ bytes: [UInt8]) async { self.bytes.withLock { $0 += bytes } }

    func post(_ text: String) { bytes.withLock { $0 += text.utf8 } }

    func drained() async {}

    /// All that was written.
    var text: String { String(decoding: bytes.withLock { $0 }, as: UTF8.self) }

    /// The lines, without their ends.
    var lines: [String] { text.split(separator: "\n").map(String.init) }
}
