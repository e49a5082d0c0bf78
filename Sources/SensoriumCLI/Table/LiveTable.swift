import Sensorium

/// The table of `watch` on a terminal: readings go in from any task, and it is redrawn at most ten
/// times a second.
final class LiveTable: Sendable {
    private let table: Guarded<WatchTable>
    private let surroundings: Surroundings

    private static var redrawPeriod: Duration { .milliseconds(100) }

    init(_ sensors: [SensorID], in surroundings: Surroundings) {
        table = Guarded(WatchTable(sensors))
        self.surroundings = surroundings
    }

    /// Changes what is shown.
    func change(_ change: (inout WatchTable) -> Void) { table.withLock { change(&$0) } }

    /// Draws until the task is cancelled, and leaves the last picture behind.
    func show() async {
        let screen = surroundings.screen
        await screen.enter()
        repeat {
            await screen.draw(picture().map(\.styled))
        } while await surroundings.clock.pause(for: Self.redrawPeriod)
        await screen.leave()
        let text = picture().filter { $0.style != .picture }.map { $0.text + "\n" }.joined()
        await surroundings.output.write(text)
    }

    private func picture() -> [WatchTable.Line] {
        let terminal = surroundings.terminal() ?? Terminal(columns: 80, rows: 24)
        return table.withLock { $0 }.lines(for: terminal)
    }
}
