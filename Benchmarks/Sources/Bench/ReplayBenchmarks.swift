import Sensorium
import SensoriumRecording
import SensoriumTestKit

/// How long an hour of a recording takes on the virtual clock.
enum ReplayBenchmarks {
    private static let seconds = 3600

    static func rows() async throws -> [Row] {
        let hour = recording()
        var samples = Samples()
        for _ in 0..<3 { samples.add(try await play(hour), items: 1_000_000) }
        return [Row(name: "replay.hour-joined", value: samples.median, unit: "ms", goal: 1000)]
    }

    /// 200 accelerations and 10 fixes a second.
    private static func recording() -> MemoryRecording {
        let imu = SensorID("phone/acceleration")
        let gps = SensorID("phone/location")
        var recording = MemoryRecording(sensors: [
            RecordedSensor(SensorDescriptor(id: imu, kind: .acceleration, name: "IMU")),
            RecordedSensor(SensorDescriptor(id: gps, kind: .location, name: "GNSS")),
        ])
        recording.events.reserveCapacity(seconds * 210)
        for tick in 0..<seconds * 200 {
            let time = ReadingTime(SensorInstant(nanoseconds: Int64(tick + 1) * 5_000_000))
            if tick % 20 == 0 {
                let latitude = 10 + Double(tick) * 1e-7
                recording.append(
                    LocationFix(time: time, latitude: latitude, longitude: 20), of: gps)
            }
            recording.append(
                Acceleration(time: time, x: 0, y: Double(tick % 100) / 100, z: 9.81), of: imu)
        }
        return recording
    }

    /// An app that reads both, joined, and sums up what it sees.
    private static func play(_ recording: MemoryRecording) async throws -> Int64 {
        let spy = try RecordingSpy(recording)
        return try await spy.clock.run { () -> Int64 in
            guard let imu = spy.sensor(of: Acceleration.self),
                let gps = spy.sensor(of: LocationFix.self)
            else { preconditionFailure("the recording has both") }
            let pairs = joined(imu, with: gps, matching: .nearest(within: .milliseconds(100)))
            let loop = spy.clock.spawn("app") {
                var sum = 0.0
                do { for try await pair in pairs { sum += pair.first.y } } catch {}
                keep(sum)
            }
            let time = await nanoseconds { await spy.playAll() }
            await loop.value
            precondition(pairs.statistics.pairs > seconds * 199, "pairs are missing")
            return time
        }
    }
}
