import Testing

@testable import SensoriumPluginKit

@Suite("dynamic linker message")
struct DynamicLinkerMessageTests {
    private let path = "/plugins/libx.so"

    @Test(
        "names a library that is missing, and its Debian package",
        arguments: [
            ("libiio.so.0", "apt install libiio0"), ("libgps.so.28", "apt install libgps28"),
            ("libfoo_bar2.so.1.5", "apt install libfoo-bar2-1"),
            ("libswiftCore.so", "Swift runtime"), ("odd.so", "the package that holds odd.so"),
        ])
    func library(name: String, hint: String) {
        let refusal = DynamicLinkerMessage.refusal(
            "\(name): cannot open shared object file: No such file or directory", path: path)
        #expect(refusal.reason == "needs \(name), which is not installed")
        #expect(refusal.hint?.contains(hint) == true)
    }

    @Test("names a symbol that is missing")
    func symbol() {
        let refusal = DynamicLinkerMessage.refusal("\(path): undefined symbol: iio_x", path: path)
        #expect(refusal.reason.contains("iio_x"))
    }

    @Test("names a version that is missing")
    func version() {
        let refusal = DynamicLinkerMessage.refusal(
            "/lib/libc.so.6: version `GLIBC_2.99' not found (required by \(path))", path: path)
        #expect(refusal.reason == "needs GLIBC_2.99 of /lib/libc.so.6, which is another version")
    }

    @Test("passes on what it does not know")
    func other() {
        let refusal = DynamicLinkerMessage.refusal("\(path): something else", path: path)
        #expect(refusal.reason == "cannot be loaded: something else")
    }
}
