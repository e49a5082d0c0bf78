import Glibc

/// A smooth closed path around a start point, and where along it a walker is.
///
/// The curve is a circle of about 62 m radius with two bends laid over it. Everything is a pure
/// function of time with exact derivatives, so that speed, course, turning and acceleration agree.
struct WalkPath: Sendable {
    /// How long once around takes, at 1.3 m/s in the mean.
    static let lap: Duration = .seconds(300)

    private static let radius = 62.0
    private let bends: [(order: Double, size: Double, phase: Double)]
    private let firstAngle: Double
    private let angularSpeed: Double

    /// Where the walker is, in metres east, north and up of the start, and the derivatives of that.
    struct Point: Sendable {
        var position: SIMD3<Double>
        var velocity: SIMD3<Double>
        var acceleration: SIMD3<Double>
    }

    init(seed: UInt64) {
        var random = SplitMix(seed)
        bends = [
            (order: 2, size: random.next(in: 0.04...0.10), phase: random.next(in: 0...2 * .pi)),
            (order: 3, size: random.next(in: 0.02...0.05), phase: random.next(in: 0...2 * .pi)),
        ]
        firstAngle = random.next(in: 0...2 * .pi)
        let isClockwise = random.next(in: 0...1) < 0.5
        angularSpeed = (isClockwise ? -2 : 2) * .pi / Self.lap.inSeconds
    }

    /// The walker's place `seconds` after the start.
    func point(at seconds: Double) -> Point {
        // Reduced to one lap first: a sine of a large angle is less exact.
        let angle = angularSpeed * seconds.remainder(dividingBy: Self.lap.inSeconds)
        let start = curve(firstAngle)
        let here = curve(firstAngle + angle)
        let hill = Self.hill(angle)
        let (speed, square) = (angularSpeed, angularSpeed * angularSpeed)
        return Point(
            position: SIMD3(here.r - start.r, hill.height),
            velocity: SIMD3(here.first, hill.first) * speed,
            acceleration: SIMD3(here.second, hill.second) * square)
    }

    /// The place at an angle about the middle, with its first and second derivative by the angle.
    private func curve(
        _ angle: Double
    ) -> (r: SIMD2<Double>, first: SIMD2<Double>, second: SIMD2<Double>) {
        var (rho, rho1, rho2) = (1.0, 0.0, 0.0)
        for bend in bends {
            let inner = bend.order * angle + bend.phase
            rho += bend.size * cos(inner)
            rho1 -= bend.size * bend.order * sin(inner)
            rho2 -= bend.size * bend.order * bend.order * cos(inner)
        }
        let outward = SIMD2(cos(angle), sin(angle)) * Self.radius
        let along = SIMD2(-sin(angle), cos(angle)) * Self.radius
        return (
            r: outward * rho, first: outward * rho1 + along * rho,
            second: outward * (rho2 - rho) + along * 2 * rho1
        )
    }

    /// A gentle hill: up to 6 m above the start on the far side.
    private static func hill(_ angle: Double) -> (height: Double, first: Double, second: Double) {
        (3 * (1 - cos(angle)), 3 * sin(angle), 3 * cos(angle))
    }
}

/// A small random generator whose numbers are the same on every machine.
///
/// Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// A number in `range`; not by `Double.random`, whose algorithm may change.
    mutating func next(in range: ClosedRange<Double>) -> Double {
        let fraction = Double(next() >> 11) * 0x1p-53
        return range.lowerBound + (range.upperBound - range.lowerBound) * fraction
    }
}
