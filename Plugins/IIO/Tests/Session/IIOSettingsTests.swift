import IIOPlugin
import Sensorium
import SensoriumTestKit
import Testing

@Suite("Settings", .timeLimit(.minutes(1)))
struct IIOSettingsTests {
    @Test(
        "knows which machine an address is of",
        arguments: [
            ("local:", nil), ("ip:192.168.2.1", "192.168.2.1"),
            ("ip:robot.local:30431", "robot.local"),
            ("ip:[fe80::1]:30431", "fe80::1"), ("ip:fe80::1", "fe80::1"), ("usb:1.2.5", "1.2.5"),
            ("ip:", "ip"),
        ] as [(String, String?)])
    func host(address: String, host: String?) {
        #expect(IIOSettings.host(of: address) == host)
    }

    @Test("looks at this machine when nothing else is said")
    func addresses() {
        #expect(IIOSettings(PluginHost()).addresses == ["local:"])
        let host = PluginHost(configuration: { $0 == "iio.uri" ? " ip:a , ,local: " : nil })
        #expect(IIOSettings(host).addresses == ["ip:a", "local:"])
    }

    @Test(
        "gives another machine 2 s to answer, or what the user says",
        arguments: [(nil, 2.0), ("0.5", 0.5), ("5", 5), ("0", 2), ("60", 2), ("soon", 2)]
            as [(String?, Double)])
    func connectTimeout(text: String?, seconds: Double) {
        let warnings = Collected<String>()
        let settings = IIOSettings(
            PluginHost(
                configuration: { $0 == "iio.connect-timeout" ? text : nil },
                log: { _, message in warnings.append(message) }))
        #expect(settings.connectLimit(of: "local:") == nil)
        #expect(settings.connectLimit(of: "ip:a") == .seconds(seconds))
        #expect(warnings.all.isEmpty == (text == nil || seconds != 2))
    }
}
