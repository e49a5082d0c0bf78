import SensoriumPluginKit

/// The way to files: those of this machine, or a spy in their place.
package protocol ImageFilesLink: Sendable {
    /// What lies at a path.
    func look(_ path: String) throws(ImageFileFault) -> ImagePlace

    /// Opens a file.
    func open(_ path: String) throws(ImageFileFault) -> any OpenImageFile

    /// Whether this process has the right to read what lies there; true where nothing does.
    func mayRead(_ path: String) -> Bool

    /// A thread for calls that may block; nil where none does.
    func makeThread() -> SessionThread?
}

/// What lies at a path.
package enum ImagePlace: Hashable, Sendable {
    /// A file.
    case file
    /// A folder, with the names in it, in any order.
    case folder([String])
}

/// A file that was opened; it is closed when nobody holds it any more.
package protocol OpenImageFile: Sendable {
    /// Reads on.
    ///
    /// - Returns: at most `limit` bytes; none at the end.
    func read(_ limit: Int) throws(ImageFileFault) -> [UInt8]
}
