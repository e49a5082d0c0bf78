import Glibc

/// A file or standard input, read as it comes.
final class DescriptorInput: ByteSource {
    private let descriptor: Int32
    private let name: String
    private let ending: Ending
    private let isOwned: Bool

    /// Opens the file, or takes standard input where there is no path, or it is `-`.
    init(_ path: String?, interruptedBy ending: Ending) throws(CommandFailure) {
        self.ending = ending
        guard let path, path != "-" else {
            name = "standard input"
            descriptor = STDIN_FILENO
            isOwned = false
            return
        }
        name = path.printable
        do throws(FileError) {
            descriptor = try FileError.open(path)
        } catch {
            throw CommandFailure(
                .noInput, "\(path.printable) cannot be opened: \(error)",
                hint: "name a file that you may read, or - for standard input")
        }
        isOwned = true
    }

    deinit { if isOwned { close(descriptor) } }

    /// Blocks the calling thread: the command that reads a file does nothing beside it.
    func next(within limit: Duration?) async throws(CommandFailure) -> ByteArrival {
        let milliseconds = limit.map { Int32(max(0, min($0.inSeconds * 1000, 1e9)).rounded(.up)) }
        var events = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: ending.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        var count: Int32
        repeat {
            count = poll(&events, nfds_t(events.count), milliseconds ?? -1)
        } while count < 0 && errno == EINTR
        if count < 0 { throw failure(FileError(code: errno)) }
        if count == 0 { return .silence }
        if events[1].revents != 0 { return .end }
        do throws(FileError) {
            let bytes = try FileError.read(descriptor, 64 << 10)
            return bytes.isEmpty ? .end : .bytes(bytes)
        } catch {
            throw failure(error)
        }
    }

    private func failure(_ error: FileError) -> CommandFailure {
        CommandFailure(.inputOutput, "\(name) cannot be read: \(error)")
    }
}
