import IIOPlugin
import Testing

@Suite("IIO fault", .timeLimit(.minutes(1)))
struct IIOFaultTests {
    @Test("takes a broken pipe at the end of the time for a missing answer")
    func late() {
        func fault(_ number: Int, after time: Duration) -> IIOFault {
            IIOFault(errno: number, doing: "reading it", after: time, of: .seconds(2))
        }
        #expect(fault(-32, after: .milliseconds(1990)).condition == .unanswered)
        #expect(
            fault(32, after: .seconds(3)).reason
                == "reading it failed: the daemon did not answer in time")
        #expect(fault(-32, after: .milliseconds(100)).condition == .gone)
        #expect(fault(-19, after: .seconds(3)).condition == .gone)
    }
}
