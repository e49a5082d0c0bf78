import Glibc
import Sensorium
import Testing

/// The readings of a movement that a test describes, sampled at any rate.
struct Movement {
    /// What is felt at each moment of a length of time.
    private var parts: [(seconds: Double, force: (Double) -> SIMD3<Double>)] = []

    static let gravity = 9.80665

    /// Nothing yet.
    init() {}

    /// Lies face up, or as said.
    func rest(_ seconds: Double, up: SIMD3<Double> = SIMD3(0, 0, 1)) -> Movement {
        adding(seconds) { _ in up * Self.gravity }
    }

    /// Swings along an axis.
    func swing(
        _ seconds: Double, frequency: Double, strength: Double,
        along axis: SIMD3<Double> = SIMD3(1, 0, 0), up: SIMD3<Double> = SIMD3(0, 0, 1)
    ) -> Movement {
        adding(seconds) { up * Self.gravity + axis * strength * sin(2 * .pi * frequency * $0) }
    }

    /// Anything else.
    func adding(_ seconds: Double, _ force: @escaping (Double) -> SIMD3<Double>) -> Movement {
        var longer = self
        longer.parts.append((seconds, force))
        return longer
    }

    /// The readings at `rate` hertz.
    ///
    /// - Parameter phase: by which share of an interval the first reading comes late.
    func sampled(_ rate: Double, phase: Double = 0, from start: Int64 = 1_000_000_000_000)
        -> [Acceleration]
    {
        var readings: [Acceleration] = []
        var begin = 0.0
        for part in parts {
            let end = begin + part.seconds
            var number = ((begin * rate) - phase).rounded(.up)
            while (number + phase) / rate < end {
                let time = (number + phase) / rate
                let force = part.force(time - begin)
                readings.append(
                    Acceleration(
                        time: ReadingTime(SensorInstant(nanoseconds: start + Int64(time * 1e9))),
                        x: force.x, y: force.y, z: force.z))
                number += 1
            }
            begin = end
        }
        return readings
    }
}

/// The files of field cases that came to the project, where they are at hand.
enum FieldCase {
    private static var folder: String {
        let root = getenv("SENSORIUM_SHARED").map { String(cString: $0) } ?? "../shared"
        return "\(root)/cases/files"
    }

    /// Whether the files are there.
    static var areAtHand: Bool { access("\(folder)/ges01_shake_100hz.csv", R_OK) == 0 }

    /// The readings in a file of lines `t_ns,x,y,z`.
    static func readings(_ name: String) throws -> [Acceleration] {
        let file = try #require(fopen("\(folder)/\(name)", "r"))
        defer { fclose(file) }
        var text = ""
        var buffer = [CChar](repeating: 0, count: 256)
        while fgets(&buffer, Int32(buffer.count), file) != nil {
            text += buffer.withUnsafeBufferPointer { pointer in
                pointer.baseAddress.map { String(cString: $0) } ?? ""
            }
        }
        return try text.split(separator: "\n").dropFirst().map { line in
            let numbers = line.split(separator: ",").compactMap { Double($0) }
            try #require(numbers.count == 4)
            // An instant of 0 stands for "unknown".
            let instant = SensorInstant(nanoseconds: Int64(numbers[0]) + 1_000_000_000)
            return Acceleration(
                time: ReadingTime(instant), x: numbers[1], y: numbers[2], z: numbers[3])
        }
    }
}

extension Acceleration {
    /// The same reading with other parts.
    func with(
        x: Double? = nil, y: Double? = nil, z: Double? = nil, instant: SensorInstant? = nil,
        flags: ReadingFlags? = nil
    ) -> Acceleration {
        var other = self
        other.x = x ?? self.x
        other.y = y ?? self.y
        other.z = z ?? self.z
        other.flags = flags ?? self.flags
        if let instant { other.time = ReadingTime(instant) }
        return other
    }
}
