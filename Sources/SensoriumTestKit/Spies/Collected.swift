import Sensorium

/// A list that several tasks of a test add to.
public final class Collected<Element: Sendable>: Sendable {
    private let elements = Guarded<[Element]>([])

    /// Makes an empty list.
    public init() {}

    /// Adds to the end.
    public func append(_ element: Element) { elements.withLock { $0.append(element) } }

    /// Adds to the end.
    public func append(contentsOf more: [Element]) { elements.withLock { $0 += more } }

    /// What was added so far, in order.
    public var all: [Element] { elements.withLock { $0 } }
}
