/// Reads the messages of an MCAP file in the order of the file.
///
/// What is damaged is left out and counted: a chunk whose checksum is wrong, a record that makes no
/// sense. Behind a wrong length it looks for the next records that make sense.
package final class MCAPFileReader {
    private let walker: MCAPWalker
    private let foundAtOpening: RecordingDamage

    /// The channels of the file, by their number.
    package var channels: [UInt16: MessageChannel] { walker.contents.channels }
    /// What wrote the file.
    package var library: String { walker.contents.library }
    /// The tables of the file, in its order.
    package var metadata: [MCAPMetadata] { walker.contents.metadata }
    /// What the file counts of itself; nil where it was not finished, or its summary is damaged.
    package var statistics: MCAPStatistics? { walker.contents.statistics }
    /// What was wrong so far.
    package var damage: RecordingDamage { walker.damage }

    /// Opens a file.
    ///
    /// - Throws: `RecordingError.empty`, `.unrecognized`, `.unsupported` for one that this build cannot
    ///   decompress, or what the operating system says.
    package init(_ path: String) throws(RecordingError) {
        let window = try MCAPWindow(path)
        if window.size == 0 {
            throw RecordingError(
                .empty, path: path, reason: "it has no bytes",
                hint: "was the disk full, or the recorder killed at once?")
        }
        var start = [UInt8](repeating: 0, count: MCAP.magic.count)
        start.removeLast(start.count - (try window.read(into: &start, at: 0)))
        guard MCAP.magic.starts(with: start) else {
            throw RecordingError(
                .unrecognized, path: path, reason: "it does not begin as an MCAP file")
        }
        var damage = RecordingDamage()
        let contents = try MCAPContents(window, &damage)
        foundAtOpening = damage
        walker = MCAPWalker(window, contents: contents)
        walker.restart(damage, skippingBefore: nil)
    }

    /// The time of the earliest message, or of the first one where the file has no summary; nil where
    /// there is none.
    package var firstTime: Int64? {
        get throws(RecordingError) {
            if let statistics, statistics.messages > 0 { return Int64(clamping: statistics.start) }
            seek(to: .min)
            defer { seek(to: .min) }
            return try walker.next().map { Int64(clamping: $0.logTime) }
        }
    }

    /// The next message; nil at the end.
    @inline(__always)
    package func next() throws(RecordingError) -> MCAPMessage? { try walker.next() }

    /// Goes on with the first message, in the order of the file, that is of `time` or later.
    package func seek(to time: Int64) {
        walker.restart(foundAtOpening, skippingBefore: time == .min ? nil : time)
    }
}
