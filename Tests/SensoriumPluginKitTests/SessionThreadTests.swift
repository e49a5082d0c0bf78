import Glibc
import Sensorium
import SensoriumTestKit
import Testing

@testable import SensoriumPluginKit

@Suite("session thread", .timeLimit(.minutes(1)))
struct SessionThreadTests {
    @Test("runs a task on its thread from the first line on, also after it has waited")
    func threads() async {
        let threads = Collected<pthread_t>()
        let task = SystemClock().spawn("work", on: SessionThread()) {
            threads.append(pthread_self())
            await SystemClock().pause(for: .milliseconds(1))
            threads.append(pthread_self())
        }
        await task.value
        #expect(threads.all.count == 2)
        #expect(threads.all.first == threads.all.last)
    }
}
