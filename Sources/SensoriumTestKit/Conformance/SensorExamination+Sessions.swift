import Sensorium

extension SensorExamination {
    // MARK: Cancelling

    /// Cancels a task before it opens, and one that has begun to.
    func cancelledOpeningFault() async -> String? {
        let (sensor, request, clock, errors) = (sensor, request, run.clock, errors)
        for hasBegun in [false, true] {
            let probe = makeProbe()
            let opened = Collected<any SensorSession>()
            let begun = AsyncStream<Void>.makeStream()
            let task = clock.spawn("open and be cancelled") {
                begun.continuation.finish()
                // The task is cancelled by now, or soon will be.
                do throws(SensorError) {
                    opened.append(try await sensor.open(request, delivering: probe.sink()))
                } catch {
                    errors.append(error)
                }
            }
            if hasBegun { for await _ in begun.stream {} }
            task.cancel()
            let fault = await run.ends("a cancelled open()", within: run.limits.closing) {
                await task.value
            }
            if let fault { return fault }
            for session in opened.all {
                if let fault = await close(session) { return fault }
            }
            remember(probe)
        }
        return openDevices("after a cancelled open()")
    }

    /// Cancels a loop that waits for its next reading.
    func cancelledWaitingFault() async -> String? {
        let probe = makeProbe()
        let (stream, thrown) = (tapped(by: probe), Collected<SensorError>())
        let loop = run.clock.spawn("wait and be cancelled") {
            do throws(SensorError) {
                for try await _ in stream {}
            } catch {
                thrown.append(error)
            }
        }
        // Once a reading came, the loop waits for the next one.
        _ = await gather(probe, 1, within: run.limits.delivery)
        loop.cancel()
        let fault = await run.ends("a cancelled loop", within: run.limits.closing) {
            await loop.value
        }
        remember(probe)
        if let fault { return fault }
        if let error = thrown.all.first {
            errors.append(error)
            return "the loop ended by an error: \(error)"
        }
        return openDevices("after a cancelled loop")
    }

    /// A stream of the sensor whose readings `probe` hears first.
    private func tapped(
        by probe: Probe<Reading>, buffering: SamplingRequest.Buffering = .newest(1024),
        limit: Int = .max
    ) -> ReadingStream<Reading> {
        let (sensor, request) = (sensor, request)
        return ReadingStream(buffering: buffering, clock: run.clock) { sink throws(SensorError) in
            try await sensor.open(request, delivering: probe.sink(to: sink, limit: limit))
        }
    }

    private func openDevices(_ when: String) -> String? {
        guard let open = run.world.openCount?(), open > 0 else { return nil }
        return "\(open) of its devices are open \(when)"
    }

    // MARK: Two sessions

    func sharingFault() async -> String? {
        let (first, second) = (makeProbe(), makeProbe())
        let opening = await open(first)
        guard case .open(let one) = opening else { return opening.failure }
        var fault = await goesOn(first, "in a first session")
        if fault == nil {
            switch await open(second) {
            case .late: fault = "a second open() did not return"
            case .failed(.busy): fault = await goesOn(first, "after a second session was refused")
            case .failed(let error): fault = "a second open() threw what is not .busy: \(error)"
            case .open(let two): fault = await servingFault(first, second, two)
            }
        }
        let closes = await close(one)
        remember(first)
        remember(second)
        return fault ?? closes
    }

    /// Both of two sessions are served, and the first one goes on when `two` is closed.
    private func servingFault(
        _ first: Probe<Reading>, _ second: Probe<Reading>, _ two: any SensorSession
    ) async -> String? {
        let serves = await goesOn(second, "in the second of two sessions")
        let stillServes = await goesOn(first, "in the first of two sessions")
        let closes = await close(two)
        if let fault = serves ?? stillServes ?? closes { return fault }
        return await goesOn(first, "after the other session was closed")
    }

    // MARK: A slow consumer

    func examineLosses() async {
        let wanted = 12
        let (probe, taken) = (makeProbe(), Collected<Void>())
        let stream = tapped(by: probe, buffering: .newest(4), limit: wanted)
        let hasAll = AsyncStream<Void>.makeStream()
        let consumer = run.clock.spawn("slow consumer") {
            do throws(SensorError) {
                for try await _ in stream {
                    taken.append(())
                    // Slow: it takes the rest when all have come.
                    for await _ in hasAll.stream {}
                }
            } catch {}
        }
        let isEnough = await gather(probe, wanted, within: run.limits.gathering)
        hasAll.continuation.finish()
        // What the buffer holds is taken before the loop is cancelled: at once, but on a busy machine.
        for _ in 0..<20 {
            await run.clock.pause(for: .milliseconds(50))
            if taken.all.count + (stream.losses[.slowConsumer] ?? 0) >= wanted { break }
        }
        consumer.cancel()
        let fault = await run.ends("a cancelled loop", within: run.limits.closing) {
            await consumer.value
        }
        remember(probe)
        guard fault == nil, isEnough else {
            skip([.losses], fault ?? "fewer than \(wanted) readings came in time")
            return
        }
        let (got, lost) = (taken.all.count, stream.losses[.slowConsumer] ?? 0)
        note(
            .losses,
            failing: got + lost == wanted
                ? nil : "\(wanted) readings came, \(got) were taken and \(lost) counted as missed")
    }

    // MARK: The source goes away

    func examineInterruption() async {
        guard let breakSource = run.world.breakSource else {
            skip([.interruption], "nobody can take its source away")
            return
        }
        let probe = makeProbe()
        let opening = await open(probe)
        guard case .open(let session) = opening else {
            note(.interruption, failing: opening.failure)
            return
        }
        var fault = await goesOn(probe, "before the source went away")
        if fault == nil {
            let known = probe.heard.statuses.count
            try? await breakSource(descriptor)
            let isTold: @Sendable (Probe<Reading>.Heard) -> Bool = { heard in
                heard.isFinished
                    || heard.statuses.dropFirst(known).contains { $0.state != .running }
            }
            _ = await run.within(run.limits.interruption) { await probe.wait(until: isTold) }
            let heard = probe.heard
            if !isTold(heard) {
                fault = "neither an end nor a status told that its source was gone"
            } else if heard.isFinished, heard.error == nil {
                fault = "it ended without an error"
            }
        }
        if let slow = await close(session) { fault = fault ?? slow }
        try? await run.world.mendSource?(descriptor)
        remember(probe)
        note(.interruption, failing: fault)
    }

    // MARK: Again and again

    func reopeningFault() async -> String? {
        for round in 1...20 {
            let probe = makeProbe()
            let opening = await open(probe)
            guard case .open(let session) = opening else {
                return opening.failure.map { "the \(round). time, \($0)" }
            }
            // In real time, slow sensors would take too long to wait for each time.
            let mustWait = run.virtualClock != nil || round == 20
            let comes = mustWait ? await goesOn(probe, "after opening") : nil
            // Two tasks close at once, as a cancelled loop and its owner may.
            async let other = close(session)
            let closes = await close(session)
            let otherCloses = await other
            remember(probe)
            if let fault = comes ?? closes ?? otherCloses { return "the \(round). time, \(fault)" }
        }
        return openDevices("after closing")
    }
}
