import Glibc
import SensoriumTestKit
import Testing

@testable import SensoriumCLI

/// With pipes and the writing thread, in real time.
@Suite("Descriptor output", .timeLimit(.minutes(1)))
struct DescriptorOutputTests {
    @Test("writes all that it takes, in order")
    func order() async throws {
        let pipe = try Pipe()
        let output = DescriptorOutput(descriptor: pipe.writing)
        for number in 0..<1000 {
            if number.isMultiple(of: 2) {
                await output.write("\(number)\n")
            } else {
                output.post("\(number)\n")
            }
        }
        await onThread { output.finish(within: nil) }
        let text = await pipe.closeAndReadAll()
        #expect(text == (0..<1000).map { "\($0)\n" }.joined())
        #expect(output.failure == nil)
    }

    @Test("writes a line at once when nothing follows it")
    func prompt() async throws {
        let pipe = try Pipe()
        let output = DescriptorOutput(descriptor: pipe.writing)
        await output.write("one\n")
        // Blocks until there is a line, without another one or the end behind it.
        #expect(await pipe.read() == "one\n")
        await onThread { output.finish(within: nil) }
    }

    @Test("makes a writer wait while the reader does not read, and goes on when it does")
    func slowReader() async throws {
        let pipe = try Pipe()
        let output = DescriptorOutput(descriptor: pipe.writing)
        let size = 2 << 20
        let writer = Task {
            for _ in 0..<(size / 1024) { await output.write([UInt8](repeating: 0x61, count: 1024)) }
            await onThread { output.finish(within: nil) }
            pipe.closeWriting()
        }
        var count = 0
        while let text = await pipe.read() { count += text.utf8.count }
        await writer.value
        #expect(count == size)
    }

    @Test("does not wait for ever at the end for a reader that does not read")
    func finish() async throws {
        let pipe = try Pipe()
        let output = DescriptorOutput(descriptor: pipe.writing)
        let writer = Task { await output.write([UInt8](repeating: 0x61, count: 1 << 20)) }
        writer.cancel()
        await writer.value
        await onThread { output.finish(within: 1_000_000) }
        #expect(output.failure == nil)
        // Lets the thread go.
        var count = 0
        while count < 1 << 20, let text = await pipe.read() { count += text.utf8.count }
    }

    @Test("says once that the reader left, and throws the rest away")
    func readerLeft() async throws {
        let pipe = try Pipe()
        let failures = Collected<DescriptorOutput.Failure>()
        let output = DescriptorOutput(descriptor: pipe.writing) { failures.append($0) }
        signal(SIGPIPE, SIG_IGN)
        pipe.closeReading()
        await output.write("one\n")
        await output.drained()
        await output.write("two\n")
        await onThread { output.finish(within: nil) }
        #expect(output.failure == .readerLeft)
        #expect(failures.all == [.readerLeft])
    }

    @Test("tells any other error by its number")
    func full() async throws {
        let descriptor = open("/dev/full", O_WRONLY)
        defer { close(descriptor) }
        let output = DescriptorOutput(descriptor: descriptor)
        await output.write("one\n")
        await output.drained()
        #expect(output.failure == .error(ENOSPC))
    }

    @Test("bears a descriptor that does not block")
    func nonBlocking() async throws {
        let pipe = try Pipe()
        _ = fcntl(pipe.writing, F_SETFL, O_NONBLOCK)
        let output = DescriptorOutput(descriptor: pipe.writing)
        let writer = Task {
            await output.write([UInt8](repeating: 0x61, count: 1 << 20))
            await onThread { output.finish(within: nil) }
            pipe.closeWriting()
        }
        var count = 0
        while let text = await pipe.read() { count += text.utf8.count }
        await writer.value
        #expect(count == 1 << 20)
    }
}
