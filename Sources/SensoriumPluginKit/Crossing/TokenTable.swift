import Sensorium

/// Hands numbers out for values, to be carried through C as `void *`.
///
/// A plugin that calls a completion twice, or a receiver after `closed`, would use memory that is
/// gone if its context were a pointer. A token is looked up instead: one that is over finds nothing.
final class TokenTable<Value: Sendable>: Sendable {
    private struct State {
        var next: UInt = 1
        var values: [UInt: Value] = [:]
    }

    private let state = Guarded(State())

    /// Keeps `value` until `remove`.
    func insert(_ value: Value) -> UnsafeMutableRawPointer? {
        let token = state.withLock { state in
            defer { state.next += 1 }
            state.values[state.next] = value
            return state.next
        }
        return UnsafeMutableRawPointer(bitPattern: token)
    }

    /// The value of a token; nil when it is over, or was never handed out.
    func value(_ token: UnsafeMutableRawPointer?) -> Value? {
        let token = UInt(bitPattern: token)
        return state.withLock { $0.values[token] }
    }

    /// Ends a token; nil when it was over before.
    @discardableResult
    func remove(_ token: UnsafeMutableRawPointer?) -> Value? {
        let token = UInt(bitPattern: token)
        return state.withLock { $0.values.removeValue(forKey: token) }
    }

    /// How many values are kept.
    var count: Int { state.withLock { $0.values.count } }
}
