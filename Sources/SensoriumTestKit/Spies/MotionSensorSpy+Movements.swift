import Glibc
import Sensorium

/// What a person does with a device, as its accelerometer feels it.
///
/// Each movement advances the virtual clock by one sampling interval, delivers a reading, and waits until
/// the app has dealt with it, so that the app's own recognizers see what those of a real device would.
/// The spy remembers how it is held: it lies face up at first, and stays as the last `tilt` left it.
extension SensorSpy where Reading == Acceleration {
    /// Standard gravity in m/s².
    private static var gravity: Double { 9.80665 }
    /// What a usual accelerometer measures at most, in m/s²: 8 g.
    private static var range: Double { 8 * gravity }

    /// Lies still.
    ///
    /// - Parameter rate: readings a second.
    /// - Throws: `VirtualClockError` when the app never opens the sensor.
    public func rest(for duration: Duration = .seconds(1), rate: Double = 100) async throws {
        let gravity = heldUp * Self.gravity
        try await move(for: duration, rate: rate) { _ in gravity }
    }

    /// Is shaken to and fro along its x axis, and comes to rest.
    ///
    /// - Parameters:
    ///   - duration: how long; half a second of rest follows, and makes the end of the shake.
    ///   - frequency: how often to and fro, in hertz; people do 3 to 6.
    ///   - strength: the highest acceleration, without gravity, in m/s².
    ///   - rate: readings a second.
    /// - Throws: `VirtualClockError` when the app never opens the sensor.
    public func shake(
        for duration: Duration = .seconds(1), frequency: Double = 4, strength: Double = 20,
        rate: Double = 100
    ) async throws {
        let gravity = heldUp * Self.gravity
        try await move(for: duration, rate: rate) { seconds in
            gravity + SIMD3(strength * sin(2 * .pi * frequency * seconds), 0, 0)
        }
        try await rest(for: .milliseconds(600), rate: rate)
    }

    /// Is turned until it is held in another way, and is then held still for half a second.
    ///
    /// - Parameters:
    ///   - orientation: how it is held in the end.
    ///   - duration: how long the turn takes.
    ///   - rate: readings a second.
    /// - Throws: `VirtualClockError` when the app never opens the sensor.
    public func tilt(
        to orientation: DeviceOrientation, over duration: Duration = .milliseconds(400),
        rate: Double = 100
    ) async throws {
        let turn = Turn(
            from: heldUp, to: SIMD3(orientation.up.x, orientation.up.y, orientation.up.z))
        let whole = max(duration.inSeconds, 1e-9)
        try await move(for: duration, rate: rate) { seconds in
            let share = min(1, seconds / whole)
            // Slow at both ends, as an arm is.
            return turn.direction(at: share * share * (3 - 2 * share)) * Self.gravity
        }
        state.withLock { $0.up = turn.direction(at: 1) }
        try await rest(for: .milliseconds(500), rate: rate)
    }

    /// Falls on the floor: free fall, an impact that goes out of the sensor's range, a lower bounce,
    /// and rest.
    ///
    /// - Parameters:
    ///   - height: metres.
    ///   - rate: readings a second.
    /// - Throws: `VirtualClockError` when the app never opens the sensor.
    public func drop(from height: Double = 1, rate: Double = 100) async throws {
        let up = heldUp
        for height in [height, height * 0.1] {
            let fall = (2 * height / Self.gravity).squareRoot()
            try await move(for: .seconds(fall), rate: rate) { _ in .zero }
            // The speed is turned round within a hundredth of a second; the case rings for longer.
            let peak = fall * Self.gravity * 1.3 / 0.01
            try await move(for: .milliseconds(80), rate: rate) { seconds in
                let ringing = cos(2 * .pi * 30 * seconds) * exp(-seconds / 0.02)
                let force = seconds <= 0.01 ? peak : Self.gravity + 30 * ringing
                return up * min(force, Self.range)
            }
        }
        try await rest(for: .milliseconds(600), rate: rate)
    }

    private var heldUp: SIMD3<Double> { state.withLock { $0.up } }

    /// Delivers what `force` says, in m/s², for each sampling interval of a time.
    private func move(
        for duration: Duration, rate: Double, _ force: (_ seconds: Double) -> SIMD3<Double>
    ) async throws {
        precondition(rate > 0 && rate.isFinite, "a rate of \(rate) Hz gives no readings")
        let start = virtualClock.now
        for number in 1...max(1, Int((duration.inSeconds * rate).rounded())) {
            let seconds = Double(number) / rate
            try await started()
            await virtualClock.advance(to: start.advanced(by: .seconds(seconds)))
            let vector = force(seconds)
            let isCut = (vector * vector).max() >= Self.range * Self.range
            try await deliver(
                Acceleration(
                    time: ReadingTime(virtualClock.now, uncertainty: .zero), x: vector.x,
                    y: vector.y, z: vector.z, flags: isCut ? .saturated : []))
        }
    }
}

/// The shortest turn from one direction to another.
private struct Turn {
    let start: SIMD3<Double>
    let side: SIMD3<Double>
    let angle: Double

    init(from start: SIMD3<Double>, to end: SIMD3<Double>) {
        self.start = start
        let cosine = max(-1, min(1, (start * end).sum()))
        angle = acos(cosine)
        var across = end - start * cosine
        if (across * across).sum() < 1e-9 {
            // Head over heels: in the plane of the screen, or about its upright axis when it lies.
            across = abs(start.z) < 0.9 ? SIMD3(start.y, -start.x, 0) : SIMD3(start.z, 0, -start.x)
        }
        side = across / (across * across).sum().squareRoot()
    }

    func direction(at share: Double) -> SIMD3<Double> {
        start * cos(angle * share) + side * sin(angle * share)
    }
}
