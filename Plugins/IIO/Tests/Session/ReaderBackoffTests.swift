import IIOPlugin
import Sensorium
import Testing

@Suite("Reader's back-off", .timeLimit(.minutes(1)))
struct ReaderBackoffTests {
    /// The pauses, in milliseconds, of a reader that works for so long between failures.
    private func pauses(_ count: Int, workingFor time: Duration?) -> [Int64] {
        var backoff = ReaderBackoff()
        var now = SensorInstant(nanoseconds: 1_000_000_000)
        return (0..<count).map { _ in
            if let time {
                backoff.work(since: now)
                now = now.advanced(by: time / 2)
                // Every scan says that it works.
                backoff.work(since: now)
                now = now.advanced(by: time / 2)
            }
            let pause = backoff.next(at: now)
            now = now.advanced(by: pause)
            return pause.wholeNanoseconds / 1_000_000
        }
    }

    @Test("grows while a device does not come back")
    func grows() {
        #expect(pauses(9, workingFor: nil) == [20, 250, 500, 1000, 2000, 4000, 5000, 5000, 5000])
    }

    @Test("grows for one that comes back for a moment only")
    func flaps() {
        #expect(
            pauses(8, workingFor: .milliseconds(500))
                == [20, 250, 500, 1000, 2000, 4000, 5000, 5000])
    }

    @Test("begins anew for one that has worked for a while")
    func works() {
        #expect(pauses(4, workingFor: .seconds(2)) == [20, 20, 20, 20])
        #expect(pauses(4, workingFor: .seconds(1)) == [20, 20, 20, 20])
    }
}
