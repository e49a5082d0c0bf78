import Sensorium

extension InteractionDispatcher {
    func dispatch(_ event: TouchEvent, from source: Int) {
        var assembler = assemblers[source] ?? FrameAssembler()
        var frames: [[TouchEvent]] = []
        assembler.add(event) { frames.append($0) }
        assemblers[source] = assembler
        for frame in frames { dispatch(frame: frame, from: source) }
    }

    /// Dispatches what has come of a frame whose end will not come any more.
    func flush(_ source: Int) {
        var frames: [[TouchEvent]] = []
        assemblers[source]?.flush { frames.append($0) }
        for frame in frames { dispatch(frame: frame, from: source) }
    }

    private func dispatch(frame: [TouchEvent], from source: Int) {
        move(frame.filter { $0.phase == .moved }, source)
        end(frame.filter { $0.phase == .ended }, source)
        for event in frame where event.phase == .cancelled {
            if place(of: event, source) == nil { statistics.ignored += 1 }
        }
        cancelByEvents(frame.filter { $0.phase == .cancelled }, source)
        begin(frame.filter { $0.phase == .began }, source)
    }

    private func place(of event: TouchEvent, _ source: Int) -> Int? {
        fingers.firstIndex { $0.source == source && $0.id == event.touch }
    }

    // MARK: The four phases

    private func begin(_ events: [TouchEvent], _ source: Int) {
        var begun: [Touch] = []
        for event in events {
            guard event.x.isFinite, event.y.isFinite else {
                statistics.ignored += 1
                continue
            }
            // A touch that begins twice has lost its end.
            if place(of: event, source) != nil { cancelByEvents([event], source) }
            let location = root.frame.size.place(event.point)
            let touch = receiver(at: location).map { responder in
                Touch(
                    event, on: responder, at: location,
                    tapCount: taps.count(event, on: responder))
            }
            fingers.append(Finger(source: source, id: event.touch, touch: touch))
            if let touch { begun.append(touch) }
        }
        deliver(begun) { live in
            statistics.began += live.count
            for touch in live { touch.hasBegun = true }
            return Responder.touchesBegan
        }
    }

    /// Who gets a touch that begins at `location`; nil where nobody does.
    private func receiver(at location: Point) -> Responder? {
        guard let hit = root.hitTest(location) else {
            statistics.missed += 1
            return nil
        }
        let mayHaveIt = touches.allSatisfy { other in
            if other.responder === hit { return hit.takesSeveralTouches }
            return !hit.isExclusive && !other.responder.isExclusive
        }
        if mayHaveIt { return hit }
        statistics.withheld += 1
        return nil
    }

    private func move(_ events: [TouchEvent], _ source: Int) {
        var moved: [Touch] = []
        for event in events {
            guard let place = place(of: event, source), event.x.isFinite, event.y.isFinite else {
                statistics.ignored += 1
                continue
            }
            guard let touch = fingers[place].touch else { continue }
            touch.phase = .moved
            update(touch, by: event)
            moved.append(touch)
        }
        deliver(moved) { _ in Responder.touchesMoved }
    }

    private func end(_ events: [TouchEvent], _ source: Int) {
        var ended: [Touch] = []
        for event in events {
            guard let place = place(of: event, source) else {
                statistics.ignored += 1
                continue
            }
            guard let touch = fingers[place].touch else {
                fingers.remove(at: place)
                continue
            }
            touch.phase = .ended
            if event.x.isFinite, event.y.isFinite { update(touch, by: event) }
            ended.append(touch)
        }
        deliver(ended) { live in
            fingers.removeAll { finger in live.contains { $0 === finger.touch } }
            statistics.ended += live.count
            for touch in live where touch.tapCount > 0 {
                statistics.taps += 1
                taps.remember(touch)
            }
            return Responder.touchesEnded
        }
    }

    private func cancelByEvents(_ events: [TouchEvent], _ source: Int) {
        let ids = events.map(\.touch)
        cancel(.sensor) { $0.source == source && ids.contains($0.id) }
        fingers.removeAll { $0.source == source && ids.contains($0.id) }
    }

    private func update(_ touch: Touch, by event: TouchEvent) {
        touch.time = event.time
        touch.pressure = event.pressure
        let location = root.frame.size.place(event.point)
        if location != touch.rootLocation {
            touch.previousRootLocation = touch.rootLocation
            touch.rootLocation = location
        }
        if !taps.isTap(touch, at: event) { touch.tapCount = 0 }
    }

    // MARK: Cancelling

    /// Cancels the touches of fingers; what these do until they are lifted goes nowhere.
    func cancel(_ cause: InteractionStatistics.Cause, where isMeant: (Finger) -> Bool) {
        var begun: [Touch] = []
        for place in fingers.indices {
            guard let touch = fingers[place].touch, isMeant(fingers[place]) else { continue }
            touch.phase = .cancelled
            touch.tapCount = 0
            if touch.hasBegun {
                begun.append(touch)
            } else {
                // Its responder was not told yet, and now need not be.
                fingers[place].touch = nil
                statistics.missed += 1
            }
        }
        deliver(begun) { live in
            for place in fingers.indices
            where live.contains(where: { $0 === fingers[place].touch }) {
                fingers[place].touch = nil
            }
            statistics.cancelled[cause, default: 0] += live.count
            return Responder.touchesCancelled
        }
    }

    /// Ends the touches of `source`, of which nothing more will be heard.
    func interruptTouches(of source: Int, _ cause: InteractionStatistics.Cause) {
        flush(source)
        cancel(cause) { $0.source == source }
        fingers.removeAll { $0.source == source }
    }

    // MARK: Calling

    private typealias Call = (Responder) -> ([Touch], InteractionEvent) -> Void

    /// Calls each responder once with its touches, in the order of the touches.
    ///
    /// A call may take responders away, and so cancel touches that a later call was to be about.
    private func deliver(_ touches: [Touch], _ prepare: ([Touch]) -> Call) {
        var left = touches
        while let first = left.first {
            let responder = first.responder
            let live = left.filter { touch in
                touch.responder === responder && fingers.contains { $0.touch === touch }
            }
            left.removeAll { $0.responder === responder }
            guard let last = live.last else { continue }
            let all = self.touches
            prepare(live)(responder)(live, InteractionEvent(time: last.time, touches: all))
        }
    }
}
