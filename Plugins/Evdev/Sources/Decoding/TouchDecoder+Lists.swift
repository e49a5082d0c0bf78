/// Screens that list all contacts in every frame: which of them is which is for the decoder to find out.
extension TouchDecoder {
    /// A contact of the last frame and one of this frame that may be the same.
    struct Pair: Sendable {
        var distance: Double
        var old: Int
        var new: Int
    }

    /// More contacts than any hand has fingers; what a frame lists beyond is not believed.
    static let mostListed = 32
    /// A contact that is farther away than this, as a share of the sides, is another one.
    static let farthestMove = 0.25

    mutating func takeListedAxis(_ code: UInt16, _ value: Int32) {
        switch code {
        case InputCode.contactX: listed.moveX(value)
        case InputCode.contactY: listed.moveY(value)
        case InputCode.contactPressure: listed.press(value)
        case InputCode.contactTool: listed.tool = value
        case InputCode.trackingID: listed.trackingID = max(-1, value)
        default: break
        }
    }

    /// Takes the end of what is said of one contact; where nothing was said, nothing touches.
    mutating func endListed() {
        hasList = true
        if listed.isPlaced {
            if list.count < Self.mostListed { list.append(listed) } else { noteNonsense() }
        }
        listed = Contact()
    }

    /// Compares what the frame has listed with what was there.
    mutating func endList() {
        // A screen for one finger may leave out the end of its only contact.
        if listed.isPlaced { endListed() }
        guard hasList else { return }
        hasList = false
        pair()
        for place in contacts.indices.reversed() where !contacts[place].isChanged {
            lift(place, lost: false)
            contacts.remove(at: place)
        }
        for new in list where !new.isMatched {
            contacts.append(new)
            contacts[contacts.count - 1].isChanged = true
        }
        for place in contacts.indices { tell(place) }
        list.removeAll(keepingCapacity: true)
    }

    /// Moves each contact to the one listed that it is, and marks both.
    private mutating func pair() {
        for place in contacts.indices { contacts[place].isChanged = false }
        for old in contacts.indices where contacts[old].trackingID >= 0 {
            for new in list.indices where list[new].trackingID == contacts[old].trackingID {
                if !list[new].isMatched, !contacts[old].isChanged { match(old, new) }
            }
        }
        pairs.removeAll(keepingCapacity: true)
        for old in contacts.indices where contacts[old].trackingID < 0 {
            let from = transform.place(contacts[old].x, contacts[old].y)
            for new in list.indices where list[new].trackingID < 0 {
                let to = transform.place(list[new].x, list[new].y)
                let (dx, dy) = (to.x - from.x, to.y - from.y)
                let distance = (dx * dx + dy * dy).squareRoot()
                if distance <= Self.farthestMove {
                    pairs.append(Pair(distance: distance, old: old, new: new))
                }
            }
        }
        // The nearest two are the same, then the nearest of the others.
        while true {
            var best: Pair?
            for pair in pairs
            where !contacts[pair.old].isChanged && !list[pair.new].isMatched
                && pair.distance < best?.distance ?? .infinity
            {
                best = pair
            }
            guard let best else { return }
            match(best.old, best.new)
        }
    }

    private mutating func match(_ old: Int, _ new: Int) {
        list[new].isMatched = true
        contacts[old].x = list[new].x
        contacts[old].y = list[new].y
        contacts[old].pressure = list[new].pressure
        contacts[old].tool = list[new].tool
        contacts[old].isChanged = true
    }
}
