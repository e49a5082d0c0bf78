import Glibc
import SensoriumPluginKit

/// The files of this machine.
struct SystemFiles: ImageFilesLink {
    /// Whether calls that may block get a thread.
    let usesThreads: Bool

    func look(_ path: String) throws(ImageFileFault) -> ImagePlace {
        var status = stat()
        guard stat(path, &status) == 0 else { throw ImageFileFault(errno: errno, path) }
        guard status.st_mode & S_IFMT == S_IFDIR else { return .file }
        guard let folder = opendir(path) else { throw ImageFileFault(errno: errno, path) }
        defer { closedir(folder) }
        var names: [String] = []
        errno = 0
        while let entry = readdir(folder) {
            names.append(
                withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                })
            errno = 0
        }
        guard errno == 0 else { throw ImageFileFault(errno: errno, path) }
        return .folder(names)
    }

    func open(_ path: String) throws(ImageFileFault) -> any OpenImageFile {
        // A pipe without a writer would block.
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw ImageFileFault(errno: errno, path) }
        let file = SystemFile(descriptor, path)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw ImageFileFault(errno: errno, path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw ImageFileFault(
                .unsupported, path, reason: "it is no regular file",
                hint: "write what comes out of it to a file, and name that")
        }
        return file
    }

    func mayRead(_ path: String) -> Bool {
        access(path, R_OK) == 0 || ![EACCES, EPERM].contains(errno)
    }

    func makeThread() -> SessionThread? { usesThreads ? SessionThread() : nil }
}

/// An open file of this machine.
private final class SystemFile: OpenImageFile {
    private let descriptor: Int32
    private let path: String

    init(_ descriptor: Int32, _ path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { close(descriptor) }

    func read(_ limit: Int) throws(ImageFileFault) -> [UInt8] {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            var got: Int
            repeat {
                got = Glibc.read(descriptor, buffer.baseAddress, limit)
            } while got < 0 && errno == EINTR
            if got < 0 { failure = errno }
            count = max(0, got)
        }
        if failure != 0 { throw ImageFileFault(errno: failure, path) }
        return bytes
    }
}
