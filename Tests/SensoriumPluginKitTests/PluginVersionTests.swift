import Testing

@testable import SensoriumPluginKit

@Suite("plugin version")
struct PluginVersionTests {
    @Test(
        "orders versions as people read them",
        arguments: [
            ("0.9.0", "0.10.0"), ("1.0.0-beta.2", "1.0.0-beta.10"), ("1.0.0-beta.1", "1.0.0"),
            ("1.0", "1.0.1"), ("", "0.0.1"), ("1.2.3", "1.2.x"), ("1.0.0-1", "1.0.0-alpha"),
            ("99999999999999999999", "99999999999999999999.1"),
        ])
    func order(lower: String, higher: String) {
        #expect(PluginVersion(lower) < PluginVersion(higher))
        #expect(!(PluginVersion(higher) < PluginVersion(lower)))
    }

    @Test(
        "takes what only looks different as the same",
        arguments: [("1.2", "1.2.0"), ("1.0+7", "1.0")])
    func same(one: String, other: String) {
        #expect(PluginVersion(one) == PluginVersion(other))
    }
}
