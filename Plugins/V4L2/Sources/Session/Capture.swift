import Sensorium

/// A camera that was set up and streams: what was agreed on, and its buffers.
struct Capture {
    /// What was asked for.
    let choice: CameraModes.Choice
    /// All that could have been asked for.
    let modes: CameraModes
    /// What the driver says it gives, asked once the buffers were there.
    let inspection: FrameInspection
    /// The rate that the driver says it runs at; nil where it does not say.
    let rate: Double?
    let buffers: LentBuffers

    var layout: FrameLayout { inspection.layout }

    /// A driver that has more is not believed; the kernel's own limit is 64.
    private static let mostBuffers = 64

    /// Sets the camera up and starts it.
    ///
    /// The order is that of the kernel's manual. The format is asked again once the buffers are
    /// there: from then on nobody else can change it.
    static func start(
        _ device: any V4L2Device, rate wish: Double?, settings: V4L2Settings,
        remark: (String) -> Void
    ) async throws(V4L2Fault) -> Capture {
        guard try await device.capability().isCamera else {
            throw V4L2Fault(.unsupported, "the node gives no pictures")
        }
        let modes = try await CameraModes(of: device, for: settings)
        let choice = modes.choice(for: wish)
        let mode = choice.mode
        _ = try await device.setFormat(
            V4L2Format(width: mode.width, height: mode.height, pixels: mode.pixels))
        let rate = await settleRate(device, choice.interval)
        let count = try await device.requestBuffers(try settings.buffers())
        guard (2...mostBuffers).contains(count) else {
            throw V4L2Fault(
                count < 2 ? .failed : .malformed, "the driver gives \(count) buffers")
        }
        let format = try await device.format()
        let layout = try FrameLayout(format, stride: try settings.stride())
        try compare(format, choice, settings, remark)
        if let other = layout.otherStride {
            remark(
                "the driver says \(layout.stride) bytes per line, but its images of "
                    + "\(format.imageSize) bytes look like \(other); if the picture is slanted, set "
                    + "v4l2.stride=\(other)")
        }
        let buffers = try await map(count, of: device, layout)
        for index in 0..<count {
            try await device.queue(index)
            buffers.noteQueued(index)
        }
        try await device.start()
        return Capture(
            choice: choice, modes: modes, inspection: FrameInspection(layout), rate: rate,
            buffers: buffers)
    }

    private static func settleRate(
        _ device: any V4L2Device, _ interval: V4L2Interval?
    ) async -> Double? {
        // A driver without a say in its rate is none the worse for it.
        do throws(V4L2Fault) {
            if let interval { try await device.setInterval(interval) }
            return try await device.interval().rate
        } catch {
            return nil
        }
    }

    /// Compares what is given with what the user has configured.
    private static func compare(
        _ format: V4L2Format, _ choice: CameraModes.Choice, _ settings: V4L2Settings,
        _ remark: (String) -> Void
    ) throws(V4L2Fault) {
        let mode = choice.mode
        let isOther =
            (format.width, format.height, format.pixels) != (mode.width, mode.height, mode.pixels)
        guard isOther else { return }
        let text =
            "\(mode.pixels) of \(mode.width)x\(mode.height) was asked for, and the camera gives "
            + "\(format.pixels) of \(format.width)x\(format.height)"
        var isForbidden = false
        if let size = try settings.size() { isForbidden = size != (format.width, format.height) }
        if let pixels = try settings.format(), pixels != format.pixels { isForbidden = true }
        if isForbidden, try settings.mustMatch() {
            throw V4L2Fault(
                .unsupported, text,
                hint: "choose what v4l2-ctl --list-formats-ext lists, or set "
                    + "v4l2.mismatch=deliver")
        }
        remark(text)
    }

    private static func map(
        _ count: Int, of device: any V4L2Device, _ layout: FrameLayout
    ) async throws(V4L2Fault) -> LentBuffers {
        var memories: [any V4L2Memory] = []
        let wanted = max(layout.needed, layout.format.imageSize)
        for index in 0..<count {
            let memory = try await device.map(index)
            guard memory.bytes.count >= wanted else {
                throw V4L2Fault(
                    .malformed,
                    "buffer \(index) has \(memory.bytes.count) bytes, too few for the "
                        + "\(wanted) of a frame",
                    hint: "another program may be changing the camera's format; try again")
            }
            memories.append(memory)
        }
        return LentBuffers(memories)
    }
}
