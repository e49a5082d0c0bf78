import Glibc
import Sensorium

/// The alternate screen of a terminal, redrawn without flicker: a frame is one write, lines are
/// written over and never cleared first, and terminals that know it show it at once.
///
/// Source of the sequences: xterm's ctlseqs; 2026 is synchronized output.
final class TerminalScreen: Screen {
    private enum Mode {
        case left
        case entered
        /// Given back while the process is stopped by Ctrl-Z.
        case lent
    }

    private struct State {
        var mode = Mode.left
        /// What the terminal shows; empty where that is not known.
        var shown = ""
    }

    private let output: any TextOutput
    private let descriptor: Int32
    private let state = Guarded(State())

    /// Alternate screen, no cursor, no wrapping of long lines.
    private static let enterSequence = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l\u{1b}[2J"
    private static let leaveSequence = "\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l"

    /// - Parameters:
    ///   - output: writes to the terminal.
    ///   - descriptor: the terminal, for the moments in which nobody can wait.
    init(output: any TextOutput, descriptor: Int32) {
        self.output = output
        self.descriptor = descriptor
    }

    func enter() async {
        CrashRescue.arm(writing: Self.leaveSequence, to: descriptor)
        state.withLock { $0 = State(mode: .entered) }
        await output.write(Self.enterSequence)
    }

    func draw(_ lines: [String]) async {
        let picture = lines.map { $0 + "\u{1b}[K" }.joined(separator: "\r\n")
        let isNew = state.withLock { state in
            guard state.mode == .entered, state.shown != picture else { return false }
            state.shown = picture
            return true
        }
        guard isNew else { return }
        await output.write("\u{1b}[?2026h\u{1b}[H\(picture)\u{1b}[J\u{1b}[?2026l")
        // The next picture waits until this one is out, so that none is old when it is seen.
        await output.drained()
    }

    func leave() async {
        let old = state.withLock { state in
            defer { state = State(mode: .left) }
            return state.mode
        }
        if old == .entered { await output.write(Self.leaveSequence) }
        await output.drained()
        CrashRescue.disarm()
    }

    // MARK: From the thread that takes signals

    /// Gives the terminal back at once: the process is about to stop, or to end without ceremony.
    func lend() { change(from: .entered, to: .lent, writing: Self.leaveSequence) }

    /// Takes the terminal again after `lend`.
    func takeBack() { change(from: .lent, to: .entered, writing: Self.enterSequence) }

    private func change(from old: Mode, to new: Mode, writing sequence: String) {
        let isDue = state.withLock { state in
            guard state.mode == old else { return false }
            state = State(mode: new)
            return true
        }
        if isDue { write(sequence) }
    }

    private func write(_ sequence: String) {
        _ = sequence.utf8CString.withUnsafeBytes {
            Glibc.write(descriptor, $0.baseAddress, $0.count - 1)
        }
    }
}
