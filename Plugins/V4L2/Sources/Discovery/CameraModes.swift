import Sensorium

/// What a camera offers, as far as it matters: each readable format at the size that is wanted.
package struct CameraModes: Hashable, Sendable {
    /// A format, a size, and the rates at it.
    package struct Mode: Hashable, Sendable {
        /// The format.
        package var pixels: PixelFormat
        /// Pixels in a row.
        package var width: Int
        /// Rows.
        package var height: Int
        /// What the driver says of its rates; empty where it says nothing.
        package var intervals: [V4L2IntervalRange]

        /// The highest rate; nil where the driver says nothing.
        package var highestRate: Double? {
            intervals.compactMap { range in
                switch range {
                case .one(let interval), .range(let interval, _): interval.rate
                }
            }.max()
        }
    }

    /// The choices, the preferred format first; never empty.
    package var modes: [Mode]

    /// Where nobody asks for a size.
    private static let usualSize = (width: 1280, height: 720)
    /// Where nobody asks for a rate, a format that reaches this is good enough.
    private static let usualRate = 24.0
    /// A driver that lists more than this is not believed.
    private static let listLimit = 256

    /// Asks a camera for its formats, sizes and rates.
    package init(
        of device: any V4L2Device, for settings: V4L2Settings
    ) async throws(V4L2Fault) {
        var offered: [PixelFormat] = []
        while offered.count < Self.listLimit, let one = try await device.format(at: offered.count) {
            offered.append(one)
        }
        let wanted = try settings.format()
        let size = try settings.size()
        // What is configured is asked for even where it is not offered: the driver then answers.
        var choices = wanted.map { [$0] } ?? FrameLayout.readable.filter(offered.contains)
        if choices.isEmpty {
            guard offered.isEmpty else {
                let names = Set(offered.map(\.description)).sorted().joined(separator: ", ")
                throw V4L2Fault(
                    .unsupported,
                    "the camera has no format that this plugin can read, only \(names)",
                    hint: "YUYV, NV12, RGB3, GREY and MJPG can be read")
            }
            choices = [try await device.format().pixels]
        }
        modes = []
        for pixels in choices {
            let (width, height) = try await Self.size(of: pixels, size, device)
            modes.append(
                Mode(
                    pixels: pixels, width: width, height: height,
                    intervals: try await Self.intervals(of: pixels, width, height, device)))
        }
    }

    /// The best size for a format: the wanted one, or else the largest one that is no larger.
    private static func size(
        of pixels: PixelFormat, _ wish: (width: Int, height: Int)?, _ device: any V4L2Device
    ) async throws(V4L2Fault) -> (Int, Int) {
        if let wish { return wish }
        let target = usualSize
        var best: (Int, Int)?
        for index in 0..<listLimit {
            guard let range = try await device.size(of: pixels, at: index) else { break }
            let size = (
                nearest(target.width, in: range.width, step: range.widthStep),
                nearest(target.height, in: range.height, step: range.heightStep)
            )
            if isBetter(size, than: best, for: target) { best = size }
        }
        return best ?? target
    }

    private static func nearest(_ wish: Int, in range: ClosedRange<Int>, step: Int) -> Int {
        let inside = min(max(wish, range.lowerBound), range.upperBound)
        return range.lowerBound + (inside - range.lowerBound) / step * step
    }

    private static func isBetter(
        _ size: (Int, Int), than best: (Int, Int)?, for target: (width: Int, height: Int)
    ) -> Bool {
        guard let best else { return true }
        func fits(_ size: (Int, Int)) -> Bool {
            size.0 <= target.width && size.1 <= target.height
        }
        let (area, bestArea) = (size.0 * size.1, best.0 * best.1)
        if fits(size) != fits(best) { return fits(size) }
        return fits(size) ? area > bestArea : area < bestArea
    }

    private static func intervals(
        of pixels: PixelFormat, _ width: Int, _ height: Int, _ device: any V4L2Device
    ) async throws(V4L2Fault) -> [V4L2IntervalRange] {
        var found: [V4L2IntervalRange] = []
        while found.count < listLimit,
            let one = try await device.interval(
                of: pixels, width: width, height: height, at: found.count)
        {
            found.append(one)
        }
        return found
    }

    // MARK: Choosing

    /// What to ask the driver for.
    package struct Choice: Hashable, Sendable {
        /// Format and size.
        package var mode: Mode
        /// The time between frames; nil to leave it to the driver.
        package var interval: V4L2Interval?
    }

    /// The choice for a rate: the first format that reaches it, or the one that comes nearest.
    package func choice(for rate: Double?) -> Choice {
        let goal = rate ?? Self.usualRate
        // A camera says 29.97 where people say 30.
        let enough = { (mode: Mode) in (mode.highestRate ?? .infinity) >= goal * 0.99 }
        let fastest = modes.max { ($0.highestRate ?? 0) < ($1.highestRate ?? 0) }
        let mode = modes.first(where: enough) ?? fastest ?? modes[0]
        return Choice(mode: mode, interval: Self.interval(for: rate, in: mode))
    }

    /// The longest interval that is short enough, or the shortest.
    private static func interval(for rate: Double?, in mode: Mode) -> V4L2Interval? {
        var slower: V4L2Interval?
        var fastest: V4L2Interval?
        // Without a wish, the highest rate that a screen can show.
        let goal = rate ?? 30
        for range in mode.intervals {
            let interval: V4L2Interval
            switch range {
            case .one(let one): interval = one
            case .range(let shortest, let longest):
                guard let high = shortest.rate, let low = longest.rate, low <= high else {
                    continue
                }
                interval =
                    goal >= high ? shortest : goal <= low ? longest : V4L2Interval(rate: goal)
            }
            guard let own = interval.rate else { continue }
            if own > (fastest?.rate ?? 0) { fastest = interval }
            if own >= goal * 0.99, own < (slower?.rate ?? .infinity) { slower = interval }
        }
        if let found = slower ?? fastest { return found }
        // The driver lists nothing; it may heed a wish all the same.
        return rate.map { V4L2Interval(rate: $0) }
    }

    /// The rates that an app can ask for.
    package var rates: SamplingRates {
        var listed: Set<Double> = []
        var span: ClosedRange<Double>?
        for range in modes.flatMap(\.intervals) {
            switch range {
            case .one(let interval):
                if let rate = interval.rate { listed.insert(rate) }
            case .range(let shortest, let longest):
                guard let high = shortest.rate, let low = longest.rate, low <= high else {
                    continue
                }
                span = min(low, span?.lowerBound ?? low)...max(high, span?.upperBound ?? high)
            }
        }
        if let span { return .range(span) }
        return listed.isEmpty ? .unknown : .listed(listed.sorted())
    }
}
