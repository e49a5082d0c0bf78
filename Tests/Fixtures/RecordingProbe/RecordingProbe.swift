import Glibc
import Sensorium
import SensoriumRecording

/// Records until it is killed, or cannot write: `RecordingProbe FILE none|lz4|zstd`.
///
/// After each flush it says how many readings were written before; the name of an error ends it.
@main
struct RecordingProbe {
    static func main() {
        let words = CommandLine.arguments
        guard words.count == 3 else { exit(2) }
        let compression = MCAPCompression(rawValue: words[2]) ?? .none
        let id: SensorID = "probe/acceleration"
        do throws(RecordingError) {
            guard let create = RecordingFormat.mcap(MCAPOptions(compression: compression)).create
            else { exit(2) }
            let writer = try create(
                words[1], RecordingMetadata(clock: RecordingClock(domain: .boottime)))
            try writer.add(RecordedSensor(SensorDescriptor(id: id, kind: .acceleration, name: "A")))
            var count = 0
            while true {
                for _ in 0..<100 {
                    count += 1
                    let time = ReadingTime(SensorInstant(nanoseconds: Int64(count)))
                    try writer.write(
                        RecordedEvent(
                            sensor: id, instant: time.instant,
                            content: .reading(
                                .acceleration(
                                    Acceleration(time: time, x: Double(count), y: 0, z: 0)))))
                }
                try writer.flush()
                say("\(count)")
            }
        } catch {
            say("\(error.condition)")
            exit(3)
        }
    }

    /// At once, not when a buffer is full.
    private static func say(_ word: String) {
        let line = Array("\(word)\n".utf8)
        _ = write(1, line, line.count)
    }
}
