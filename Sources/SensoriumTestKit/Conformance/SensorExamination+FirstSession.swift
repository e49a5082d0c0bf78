import Sensorium

extension SensorExamination {
    /// The checks of what a session delivers.
    private static var traceChecks: [ConformanceCheck] {
        [.order, .axis, .future, .original, .values, .simulation]
    }

    /// Opens, listens, reconfigures, closes, and listens again.
    ///
    /// - Returns: whether it makes sense to open further sessions.
    func examineFirstSession() async -> Bool {
        let probe = makeProbe()
        defer { remember(probe) }
        let opening = await open(probe)
        guard case .open(let session) = opening else {
            noteUnopened(opening)
            return false
        }
        note(.opening, failing: nil)
        let delivers = await goesOn(probe, "after opening")
        let excuse = delivers == nil ? nil : excuse(probe.heard.statuses.last)
        if let excuse {
            skip([.delivery], excuse)
        } else {
            note(.delivery, failing: delivers)
        }
        if delivers == nil {
            _ = await gather(probe, run.limits.readings, within: run.limits.gathering)
            await noteRate(session, probe)
            note(.reconfiguring, failing: await reconfiguringFault(session, probe))
            noteTrace(probe.heard.facts)
        } else {
            skip([.rate, .reconfiguring] + Self.traceChecks, excuse ?? "no reading came")
        }
        let closes = await examineClosing(session, probe)
        if let excuse, closes {
            skip(Self.sessionChecks, excuse)
        } else if delivers != nil || !closes {
            skip(Self.sessionChecks, "an earlier check failed")
        }
        return delivers == nil && closes
    }

    /// Why no reading came, where that is no fault of the sensor's: in the real world a daemon may not
    /// run and a receiver may have no compass, and the sensor says so.
    private func excuse(_ status: SensorStatus?) -> String? {
        guard run.virtualClock == nil, run.world.makeReadings == nil, let status,
            status.state == .waiting || status.state == .searching, !status.reason.isEmpty
        else { return nil }
        return "no reading came, and it says why: \(status)"
    }

    private func noteUnopened(_ opening: Opening) {
        let rest: [ConformanceCheck] =
            [.delivery, .rate, .reconfiguring, .closing, .silence, .closingTwice]
            + Self.traceChecks
        let status = sensor.authorization
        if case .failed(.denied) = opening, status == .denied || status == .restricted {
            // It says that this process may not, and keeps to it.
            skip([.opening] + rest + Self.sessionChecks, "this process may not read it")
            return
        }
        note(.opening, failing: opening.failure)
        skip(rest, "it did not open")
        skip(Self.sessionChecks, "an earlier check failed")
    }

    private func noteRate(_ session: any SensorSession, _ probe: Probe<Reading>) async {
        var fault: String?
        // In real time a busy machine may delay some readings, but hardly those that are looked at next.
        for attempt in 1...(run.virtualClock == nil ? 5 : 1) {
            let start = attempt == 1 ? 0 : probe.count
            if attempt > 1 {
                let wanted = start + run.limits.readings
                _ = await gather(probe, wanted, within: run.limits.gathering)
                if probe.count < wanted { break }
            }
            guard let granted = session.grantedRate else {
                skip([.rate], "it does not say what rate it grants")
                return
            }
            fault = rateFault(granted, probe, from: start)
            if fault == nil { break }
        }
        note(.rate, failing: fault)
    }

    /// What is wrong with a rate, by the readings after the first `start`.
    private func rateFault(
        _ granted: Double, _ probe: Probe<Reading>, from start: Int
    ) -> String? {
        guard granted > 0, granted.isFinite else { return "it grants \(granted) Hz" }
        let asked = request.rate
        switch descriptor.rates {
        case .unknown: break
        case .listed(let rates):
            let best = asked.flatMap { asked in rates.first { $0 >= asked } } ?? rates.last
            if let asked, let best, granted < min(asked, best) * 0.99 {
                return
                    "it grants \(granted) Hz where \(asked) Hz were asked for, though it has \(best)"
            }
        case .range(let range):
            if granted < range.lowerBound * 0.99 || granted > range.upperBound * 1.01 {
                return "it grants \(granted) Hz, which is not in \(range)"
            }
            if let asked, granted < asked * 0.99 {
                return "it grants \(granted) Hz where \(asked) Hz were asked for, which it has"
            }
        }
        // What the checks' world makes come has the world's rate.
        let heard = probe.heard
        let facts = heard.facts.dropFirst(start)
        guard run.world.makeReadings == nil, heard.losses.isEmpty, facts.count >= 5,
            let first = facts.first?.time, let last = facts.last?.time
        else { return nil }
        var spans = [first.instant.duration(to: last.instant)]
        // By the device's own clock, too: where it is another one than this host's, the estimate of how
        // far they are apart still settles in the first readings.
        if let from = first.original, let to = last.original, from.domain == to.domain {
            spans.append(
                SensorInstant(nanoseconds: from.nanoseconds)
                    .duration(to: SensorInstant(nanoseconds: to.nanoseconds)))
        }
        let observed = spans.map { span in
            span > .zero ? Double(facts.count - 1) / span.inSeconds : .infinity
        }
        let slack = run.virtualClock == nil ? 0.5 : 0.1
        if observed.contains(where: { abs($0 / granted - 1) <= slack }) { return nil }
        return "it grants \(granted) Hz, and readings come at \(observed[0]) Hz"
    }

    private func reconfiguringFault(
        _ session: any SensorSession, _ probe: Probe<Reading>
    ) async -> String? {
        let request = otherRequest
        let result = await run.within(run.limits.opening) { () -> Result<Void, SensorError> in
            do throws(SensorError) {
                return .success(try await session.reconfigure(request))
            } catch {
                return .failure(error)
            }
        }
        var when = "after a reconfiguration"
        switch result {
        case nil: return "reconfigure() did not return"
        case .success: break
        case .failure(let error):
            errors.append(error)
            guard case .unsupported = error else { return "reconfigure() threw: \(error)" }
            when += " that it does not support"
        }
        if let reason = await goesOn(probe, when) { return reason }
        _ = await gather(probe, probe.count + 2, within: run.limits.gathering)
        return nil
    }

    private func noteTrace(_ facts: [Probe<Reading>.Fact]) {
        let limits = run.limits
        note(.order, failing: orderFault(facts))
        note(
            .axis,
            failing: first(facts) { fact in
                let instant = fact.time.instant
                if !fact.time.isKnown { return "has no time (\(instant.nanoseconds) ns)" }
                let distance = instant.duration(to: fact.arrival)
                if distance <= limits.distance, distance >= .zero - limits.distance { return nil }
                return "is of \(instant) and came at \(fact.arrival): is that boot time?"
            })
        note(
            .future,
            failing: first(facts) { fact in
                let ahead = fact.arrival.duration(to: fact.time.instant)
                if ahead <= limits.lead || ahead > limits.distance { return nil }
                return "came \(ahead.secondsText(6)) s before it was measured"
            })
        note(.original, failing: first(facts, originalFault))
        note(.values, failing: first(facts) { $0.offence })
        note(
            .simulation,
            failing: first(facts) { fact in
                if fact.isSimulated == descriptor.isSimulated { return nil }
                return fact.isSimulated
                    ? "is flagged as simulated, but the descriptor does not say so"
                    : "is not flagged as simulated, but the descriptor says so"
            })
    }

    private func first(
        _ facts: [Probe<Reading>.Fact], _ fault: (Probe<Reading>.Fact) -> String?
    ) -> String? {
        for (index, fact) in facts.enumerated() {
            if let fault = fault(fact) { return "reading \(index + 1) \(fault)" }
        }
        return nil
    }

    private func orderFault(_ facts: [Probe<Reading>.Fact]) -> String? {
        for (index, pair) in zip(facts, facts.dropFirst()).enumerated()
        where pair.0.time.isKnown && pair.1.time.isKnown {
            let step = pair.0.time.instant.duration(to: pair.1.time.instant)
            if step < .zero {
                return "reading \(index + 2) is \((.zero - step).secondsText(6)) s before reading "
                    + "\(index + 1)"
            }
        }
        return nil
    }

    private func originalFault(_ fact: Probe<Reading>.Fact) -> String? {
        guard let original = fact.time.original else {
            let isDue = run.world.tellsTime.contains(Reading.kind)
            return isDue ? "does not keep the time that its source gave" : nil
        }
        // A time of arrival stands in for an original that does not agree with this host's clock.
        guard fact.time.source == .device, original.domain != .foreign,
            let sample = run.clock.sample(original.domain)
        else { return nil }
        let behind = SensorInstant(nanoseconds: original.nanoseconds)
            .duration(to: SensorInstant(nanoseconds: sample.time.nanoseconds))
        let mapped = sample.boottime.advanced(by: .zero - behind)
        let gap = mapped.duration(to: fact.time.instant)
        let allowed = run.limits.lead + (fact.time.uncertainty ?? .zero)
        if gap <= allowed, gap >= .zero - allowed { return nil }
        return "gives a \(original.domain) time that is \(mapped) here, but is stamped "
            + "\(fact.time.instant)"
    }

    /// Closes, listens whether something still comes, and closes once more.
    ///
    /// - Returns: whether it closed.
    private func examineClosing(_ session: any SensorSession, _ probe: Probe<Reading>) async -> Bool
    {
        var fault = await close(session)
        probe.seal()
        if fault == nil, let open = run.world.openCount?(), open > 0 {
            fault = "\(open) of its devices are still open after close()"
        }
        note(.closing, failing: fault)
        guard fault == nil else {
            skip([.silence, .closingTwice], "it did not close")
            return false
        }
        await run.clock.pause(for: run.limits.quiet)
        note(.silence, failing: probe.heard.late.first.map { "\($0) came after close()" })
        note(.closingTwice, failing: await close(session))
        return true
    }
}
