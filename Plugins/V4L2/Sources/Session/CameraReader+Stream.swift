import Sensorium

extension CameraReader {
    /// Streams until the reader is stopped, or the camera must be set up in another way.
    func stream(_ device: any V4L2Device, working: () -> Void) async throws(V4L2Fault) {
        let (request, generation) = state.withLock { ($0.request, $0.generation) }
        let wish = try settings.rate(for: request)
        let capture = try await Capture.start(device, rate: wish, settings: settings) { text in
            host.log(.warning, "\(id): \(text)")
        }
        state.withLock { $0.grantedRate = capture.rate }
        answer.give(nil)
        settleChange(generation)
        var result = Result<Void, V4L2Fault>.success(())
        do throws(V4L2Fault) {
            try await pump(capture, device, generation, working)
        } catch {
            result = .failure(error)
        }
        await device.stop()
        try result.get()
    }

    /// Tells who waits for a change of that generation that it is done.
    private func settleChange(_ generation: Int) {
        state.withLock { state in
            state.generation == generation ? state.change.take() : nil
        }?.give(true)
    }

    /// Whether a newer request is met by what streams now.
    private func isMet(
        _ generation: inout Int, by capture: Capture
    ) throws(V4L2Fault) -> Bool {
        let (request, newest) = state.withLock { ($0.request, $0.generation) }
        if newest == generation { return true }
        guard capture.modes.choice(for: try settings.rate(for: request)) == capture.choice else {
            return false
        }
        generation = newest
        settleChange(newest)
        return true
    }

    /// Moves frames from the camera to the consumer, one for each look at the camera.
    private func pump(
        _ capture: Capture, _ device: any V4L2Device, _ generation: Int, _ working: () -> Void
    ) async throws(V4L2Fault) {
        var generation = generation
        var frames = FrameStream(capture, reader: self)
        let limit = max(Self.stallLimit, capture.rate.map { .seconds(min(8 / $0, 600)) } ?? .zero)
        var emptyLooks = 0
        while !isStopping, try isMet(&generation, by: capture) {
            while let index = capture.buffers.takeReturned() {
                try await device.queue(index)
                capture.buffers.noteQueued(index)
            }
            let event = try await device.wait(for: limit)
            if isStopping { return }
            switch event {
            case .interrupted: continue
            case .timedOut:
                throw V4L2Fault(
                    .timedOut, "no frame came for \(limit.secondsText(1)) s")
            case .ready, .broken: break
            }
            guard let buffer = try await device.dequeue() else {
                // A poll that says so again and again would keep a processor busy.
                emptyLooks += 1
                if event == .broken || emptyLooks >= 8 {
                    throw V4L2Fault(
                        .failed,
                        "the driver reports \(event == .broken ? "an error" : "a frame"), "
                            + "but has no frame")
                }
                continue
            }
            if isStopping { return }
            emptyLooks = 0
            let arrival = clock.now
            guard capture.buffers.noteDequeued(buffer.index) else {
                throw V4L2Fault(
                    .malformed, "the driver gave back buffer \(buffer.index), which it did not have"
                )
            }
            if try frames.take(buffer, arrival: arrival) {
                if !frames.hasWorked {
                    frames.hasWorked = true
                    working()
                    tell(SensorStatus(.running))
                }
                frames.deliver()
            }
            if frames.mustReturn {
                try await device.queue(buffer.index)
                capture.buffers.noteQueued(buffer.index)
            }
        }
    }
}

/// The frames of one capture, on their way from buffers to the consumer.
private struct FrameStream {
    private let capture: Capture
    private let reader: CameraReader
    private var clock: FrameClock
    private var count = FrameCount()
    private var isDoubtTold = false
    private var frame: CameraFrame?
    /// Whether a frame was delivered already.
    var hasWorked = false
    /// Whether the last buffer was not lent, so that it goes back to the device at once.
    private(set) var mustReturn = false

    init(_ capture: Capture, reader: CameraReader) {
        self.capture = capture
        self.reader = reader
        clock = FrameClock(clock: reader.clock)
    }

    /// Makes a frame of a buffer, or counts it as lost.
    ///
    /// - Returns: whether there is a frame to deliver.
    mutating func take(_ buffer: V4L2Buffer, arrival: SensorInstant) throws(V4L2Fault) -> Bool {
        mustReturn = true
        let (missing, sequence) = count.take(buffer.sequence)
        reader.lose(missing, .device)
        let bytes = capture.buffers.bytes(of: buffer.index)
        switch capture.inspection.look(at: buffer, in: bytes) {
        case .lost(let reason):
            reader.lose(1, reason)
            return false
        case .frame(let planes):
            guard let storage = capture.buffers.lend(buffer.index, length: buffer.bytesUsed) else {
                reader.lose(1, .slowConsumer)
                return false
            }
            mustReturn = false
            let format = capture.layout.format
            frame = CameraFrame(
                time: clock.time(of: buffer.stamp, flags: buffer.flags, arrival: arrival),
                width: format.width, height: format.height, format: capture.layout.pixels,
                planes: planes, storage: storage, sequence: sequence,
                timeReference: FrameClock.reference(buffer.flags))
            if let doubt = clock.doubt, !isDoubtTold {
                isDoubtTold = true
                reader.host.log(.warning, "\(reader.id): \(doubt)")
            }
            return true
        }
    }

    /// Hands the frame over, and keeps nothing of it.
    mutating func deliver() {
        if let frame = frame.take() { reader.deliver(frame) }
    }
}
