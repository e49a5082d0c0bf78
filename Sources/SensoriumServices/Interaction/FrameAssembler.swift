import Sensorium

/// Puts the events together that happened at once.
///
/// A frame ends where the sensor says so, and at the latest where time goes on. A touch has one
/// event in a frame; a second one begins the next, so that nothing is merged that came in an order.
struct FrameAssembler {
    private var pending: [TouchEvent] = []

    /// More fingers than any surface has.
    private static var limit: Int { 64 }

    /// Takes one event, and hands out the frames that are complete with it.
    mutating func add(_ event: TouchEvent, to dispatch: ([TouchEvent]) -> Void) {
        if let first = pending.first,
            first.instant != event.instant || pending.contains(where: { $0.touch == event.touch })
        {
            flush(to: dispatch)
        }
        pending.append(event)
        if event.endsFrame || pending.count >= Self.limit { flush(to: dispatch) }
    }

    /// Hands out what has come, complete or not.
    mutating func flush(to dispatch: ([TouchEvent]) -> Void) {
        guard !pending.isEmpty else { return }
        let frame = pending
        pending.removeAll(keepingCapacity: true)
        dispatch(frame)
    }
}
