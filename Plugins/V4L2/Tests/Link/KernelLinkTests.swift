import Glibc
import Sensorium
import SensoriumPluginKit
import Testing
import V4L2Plugin

/// The kernel's side, as far as a machine without a camera has it.
@Suite("Kernel link", .timeLimit(.minutes(1)))
struct KernelLinkTests {
    private func fault(opening path: String) async -> V4L2Fault? {
        do throws(V4L2Fault) {
            let device = try await KernelLink().open(path)
            defer { device.interrupt() }
            _ = try await device.capability()
            await device.close()
            return nil
        } catch {
            return error
        }
    }

    @Test("tells a missing node from a node of something else")
    func conditions() async {
        #expect(await fault(opening: "/dev/no-such-camera")?.condition == .gone)
        let other = await fault(opening: "/dev/null")
        #expect(other?.condition == .unsupported)
        #expect(other?.reason.contains("/dev/null") ?? false)
        #expect(KernelLink().mayOpen("/dev/null"))
        #expect(KernelLink().mayOpen("/dev/no-such-camera"))
    }

    @Test("returns from a wait at once when it is interrupted, also before it began")
    func interrupts() async throws {
        // A pipe of nobody stands in for a camera without frames; /dev/full is always ready.
        let device = try await KernelLink().open("/dev/full")
        device.interrupt()
        #expect(try await device.wait(for: .seconds(30)) == .interrupted)
        #expect(try await device.wait(for: .seconds(30)) == .ready)
        await device.close()
        device.interrupt()
        await device.close()
    }

    @Test("names the programs that have a node open, this one among them")
    func holders() async throws {
        let device = try await KernelLink().open("/dev/full")
        #expect(KernelLink().holders(of: "/dev/full").contains("this program itself"))
        await device.close()
    }

    @Test("lists this machine's nodes, if it has any, without opening them")
    func nodes() {
        for node in KernelLink().nodes() {
            #expect(node.path.hasPrefix("/dev/"))
            #expect(!node.name.isEmpty)
        }
    }
}
