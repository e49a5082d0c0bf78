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

    /// The next bytes. Blocks the calling thread until there are some: the command that reads a
    /// file does nothing beside it.
    func next() async throws(CommandFailure) -> [UInt8]? {
        var events = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: ending.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&events, nfds_t(events.count), -1) < 0 {
            if errno != EINTR { throw failure(FileError(code: errno)) }
        }
        if events[1].revents != 0 { return nil }
        do throws(FileError) {
            let bytes = try FileError.read(descriptor, 64 << 10)
            return bytes.isEmpty ? nil : bytes
        } catch {
            throw failure(error)
        }
    }

    private func failure(_ error: FileError) -> CommandFailure {
        CommandFailure(.inputOutput, "\(name) cannot be read: \(error)")
    }
}
