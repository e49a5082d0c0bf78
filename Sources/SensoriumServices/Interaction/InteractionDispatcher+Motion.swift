import Sensorium

extension InteractionDispatcher {
    private var receiver: Responder { firstResponder ?? root }

    // MARK: Movements

    func motionBegan(_ motion: Motion, at instant: SensorInstant, from source: Int) {
        // One that begins twice has lost its end.
        motionCancelled(motion, at: instant, from: source)
        let receiver = receiver
        motions.append(
            MotionUnderWay(motion: motion, source: source, start: instant, receiver: receiver))
        receiver.motionBegan(motion, at: instant)
    }

    func motionEnded(_ motion: Motion, at instant: SensorInstant, from source: Int) {
        take(motion, source)?.receiver?.motionEnded(motion, at: instant)
    }

    func motionCancelled(_ motion: Motion, at instant: SensorInstant, from source: Int) {
        take(motion, source)?.receiver?.motionCancelled(motion, at: instant)
    }

    /// Cancels the movements under way that are meant, as of their beginning: their end is unknown.
    func cancelMotions(where isMeant: (MotionUnderWay) -> Bool) {
        let meant = motions.filter(isMeant)
        motions.removeAll(where: isMeant)
        for motion in meant {
            motion.receiver?.motionCancelled(motion.motion, at: motion.start)
        }
    }

    private func take(_ motion: Motion, _ source: Int) -> MotionUnderWay? {
        let place = motions.firstIndex { $0.motion == motion && $0.source == source }
        return place.map { motions.remove(at: $0) }
    }

    // MARK: Remote control

    func dispatch(_ event: KeyEvent, from source: Int) {
        guard let key = event.remoteKey else {
            statistics.otherKeys += 1
            return
        }
        switch event.phase {
        case .pressed:
            heldKeys.removeAll { $0.source == source && $0.key == key }
            heldKeys.append((source, key, event.time))
            command(key.pressed, event.time)
        case .repeated:
            if key.repeats { command(key.pressed, event.time, isRepeat: true) }
        case .released:
            guard heldKeys.contains(where: { $0.source == source && $0.key == key }) else {
                statistics.otherKeys += 1
                return
            }
            heldKeys.removeAll { $0.source == source && $0.key == key }
            if let released = key.released { command(released, event.time) }
        }
    }

    /// Lets go of the keys of a source of which nothing more will be heard, as of their pressing:
    /// when they were let go is unknown.
    func releaseKeys(of source: Int) {
        let held = heldKeys.filter { $0.source == source }
        heldKeys.removeAll { $0.source == source }
        for (_, key, time) in held {
            if let released = key.released { command(released, time) }
        }
    }

    private func command(
        _ command: RemoteControlEvent.Command, _ time: ReadingTime, isRepeat: Bool = false
    ) {
        statistics.commands += 1
        receiver.remoteControlReceived(
            RemoteControlEvent(time: time, command: command, isRepeat: isRepeat))
    }
}
