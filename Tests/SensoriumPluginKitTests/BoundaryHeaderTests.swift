import Testing

@testable import SensoriumPluginKit

@Suite(
    "boundary header", .timeLimit(.minutes(1)),
    .enabled(if: PluginFoundry.compiler != nil, PluginFoundry.skipReason))
struct BoundaryHeaderTests {
    @Test(
        "is good C11 and C++11 on its own, without a warning",
        arguments: [("c", "c11"), ("c", "c17"), ("c++", "c++11"), ("c++", "c++20")])
    func standards(language: String, standard: String) async throws {
        let compiler = try #require(PluginFoundry.compiler)
        // Other compilers may lack their part for C++.
        if language == "c++", !compiler.hasSuffix("/clang") { return }
        let result = try await ChildProcess.run([
            compiler, "-x", language, "-std=\(standard)", "-Wall", "-Wextra", "-Wpedantic",
            "-Werror", "-fsyntax-only", "-Wno-pragma-once-outside-header",
            PluginFoundry.include + "/sensorium_plugin.h",
        ])
        #expect(result.status == 0, Comment(rawValue: result.output))
    }
}
