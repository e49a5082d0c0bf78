/// Turns what the dynamic linker says into what a person can do.
enum DynamicLinkerMessage {
    /// A refusal for the text of `dlerror()` about the file at `path`.
    ///
    /// The texts are glibc's.
    static func refusal(_ message: String, path: String) -> LoadRefusal {
        let parts = message.split(separator: ":", maxSplits: 1).map(String.init)
        let subject = parts.first ?? ""
        if message.contains("cannot open shared object file"), subject != path {
            return LoadRefusal(
                "needs \(subject), which is not installed", hint: installHint(for: subject))
        }
        if let symbol = text(after: "undefined symbol: ", in: message) {
            return LoadRefusal(
                "needs the function or variable \(symbol), which no library has",
                hint: "build it against the libraries that are installed here, or update them")
        }
        if let version = text(after: "version `", in: message)?.prefix(while: { $0 != "'" }) {
            return LoadRefusal(
                "needs \(version) of \(subject), which is another version",
                hint: "build it on this system, or update the system")
        }
        if message.contains("failed to map segment") {
            return LoadRefusal(
                "may not be run from where it lies: the file system forbids it (noexec)",
                hint: "move it to another file system")
        }
        let detail =
            message.hasPrefix(path + ": ") ? message.dropFirst(path.count + 2) : message[...]
        return LoadRefusal(
            "cannot be loaded: \(detail)", hint: "build it again for this system")
    }

    private static func text(after mark: String, in message: String) -> String? {
        var rest = message[...]
        while !rest.isEmpty {
            if rest.hasPrefix(mark) { return String(rest.dropFirst(mark.count)) }
            rest = rest.dropFirst()
        }
        return nil
    }

    /// Debian's packages of the libraries that plugins are known to use.
    private static let packages = [
        "libevdev.so.2": "libevdev2", "libgps.so.28": "libgps28", "libiio.so.0": "libiio0",
        "libmicrohttpd.so.12": "libmicrohttpd12", "libmosquitto.so.1": "libmosquitto1",
        "libsystemd.so.0": "libsystemd0", "libturbojpeg.so.0": "libturbojpeg0",
        "libudev.so.1": "libudev1",
    ]

    /// What to install for a library.
    static func installHint(for library: String) -> String {
        if let package = packages[library] { return "apt install \(package)" }
        if library.hasPrefix("libswift") || library.hasPrefix("lib_Foundation") {
            return "install the Swift runtime that the plugin was built with"
        }
        if let package = debianName(library) {
            return "on Debian the package is probably \(package): apt install \(package)"
        }
        return "install the package that holds \(library)"
    }

    /// Debian Policy 8.1: libNAME.so.N is in the package libNAMEN, with a hyphen after a digit.
    private static func debianName(_ library: String) -> String? {
        guard library.hasPrefix("lib"), let range = separator(in: library) else { return nil }
        let name = library[..<range.lowerBound]
        let version = library[range.upperBound...].prefix { $0 != "." }
        guard !version.isEmpty, version.allSatisfy(\.isNumber) else { return nil }
        let hyphen = name.last?.isNumber == true ? "-" : ""
        return name.lowercased().replacing("_", with: "-") + hyphen + version
    }

    private static func separator(in library: String) -> Range<String.Index>? {
        var index = library.startIndex
        while index < library.endIndex {
            if library[index...].hasPrefix(".so.") {
                return index..<library.index(index, offsetBy: 4)
            }
            index = library.index(after: index)
        }
        return nil
    }
}
