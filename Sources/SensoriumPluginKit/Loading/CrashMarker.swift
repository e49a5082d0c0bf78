import CSensoriumHost
import Glibc
import Sensorium

/// The marker of one plugin that makes its first calls.
final class CrashMarker: Sendable {
    /// The first line, as long as what the signal handler writes over it.
    static let loadingLine = "loading        \n"

    private let path: String
    private let descriptor: Int32
    private let number: Int32
    private let isInside = Guarded(false)

    /// Watches a marker that was written; nil when too many are watched.
    init?(path: String, descriptor: Int32) {
        number = crash_marker_begin(descriptor)
        self.path = path
        self.descriptor = descriptor
        if number < 0 { return nil }
    }

    /// Runs `body`, a call of the plugin, so that a crash in it is laid at this plugin's door.
    func guarding(_ body: () -> Void) {
        let isFirst = isInside.withLock { inside in
            defer { inside = true }
            return !inside
        }
        guard isFirst else { return body() }
        crash_marker_enter(number)
        body()
        crash_marker_leave(number)
        isInside.withLock { $0 = false }
    }

    func end() {
        crash_marker_end(number)
        close(descriptor)
        unlink(path)
    }
}

/// The first calls of a plugin: loading, starting, and looking for sensors.
///
/// Between starting and the first look there is a pause without a marker, since a host may take its
/// time there, and its own crashes are not the plugin's.
final class FirstCalls: Sendable {
    private enum State {
        case pause
        case marked(CrashMarker)
        case over
    }

    private let makeMarker: @Sendable () -> CrashMarker?
    private let state = Guarded(State.pause)

    /// Makes them with `makeMarker`, which gives nil where no marker can be written.
    init(_ makeMarker: @escaping @Sendable () -> CrashMarker?) { self.makeMarker = makeMarker }

    /// Runs `body`, a call of the plugin, under a marker, unless the first calls are over.
    func guarding(_ body: () -> Void) {
        let marker = state.withLock { state -> CrashMarker? in
            switch state {
            case .over: return nil
            case .marked(let marker): return marker
            case .pause:
                guard let marker = makeMarker() else { return nil }
                state = .marked(marker)
                return marker
            }
        }
        if let marker { marker.guarding(body) } else { body() }
    }

    /// Removes the marker until the next call.
    func pause() { end(then: .pause) }

    /// Removes the marker for good.
    func end() { end(then: .over) }

    private func end(then next: State) {
        let marker = state.withLock { state -> CrashMarker? in
            if case .over = state { return nil }
            defer { state = next }
            if case .marked(let marker) = state { return marker }
            return nil
        }
        marker?.end()
    }
}
