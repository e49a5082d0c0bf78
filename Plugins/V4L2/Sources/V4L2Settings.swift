import Sensorium

/// The plugin's configuration.
///
/// | key | value |
/// |---|---|
/// | `v4l2.size` | the size to ask for: `1280x720` |
/// | `v4l2.format` | the format to ask for, by its four characters: `YUYV`, `NV12`, `RGB3`, `GREY`, `MJPG` |
/// | `v4l2.rate` | frames a second where the app asks for none |
/// | `v4l2.buffers` | how many frames the camera and its consumers share, 3 to 32 |
/// | `v4l2.mismatch` | `deliver` or `fail`, where the camera does not give what is configured here |
/// | `v4l2.unplug` | `reconnect` or `end`, when the camera is pulled out |
/// | `v4l2.stride` | bytes from one row to the next, for drivers that tell them wrongly |
///
/// Each can be given for one camera alone, as in `v4l2.size.CAMERA`; CAMERA is its name in sensor ids.
package struct V4L2Settings: Sendable {
    private let host: PluginHost
    private let token: String

    /// Reads the settings for one camera.
    package init(_ host: PluginHost, for token: String) {
        self.host = host
        self.token = token
    }

    private func text(_ key: String) -> String? {
        let text = host.configuration("v4l2.\(key).\(token)") ?? host.configuration("v4l2.\(key)")
        return text.flatMap { $0.isEmpty ? nil : $0 }
    }

    private func value<Value>(
        _ key: String, _ form: String, _ read: (String) -> Value?
    ) throws(V4L2Fault) -> Value? {
        guard let text = text(key) else { return nil }
        guard let value = read(text) else {
            throw V4L2Fault(
                .unsupported, "the setting v4l2.\(key) is '\(text)'", hint: "write it as \(form)")
        }
        return value
    }

    /// The size to ask for; nil for the camera's best up to 1280x720.
    package func size() throws(V4L2Fault) -> (width: Int, height: Int)? {
        try value("size", "1280x720") { text in
            let sides = text.split(separator: "x", omittingEmptySubsequences: false).map {
                Int($0)
            }
            guard sides.count == 2, let width = sides[0], let height = sides[1],
                (1...FrameLayout.largestSide).contains(width),
                (1...FrameLayout.largestSide).contains(height)
            else { return nil }
            return (width, height)
        }
    }

    /// The format to ask for; nil for the best that the camera has.
    package func format() throws(V4L2Fault) -> PixelFormat? {
        try value("format", "YUYV, NV12, RGB3, GREY or MJPG") { text in
            // RGB24 and MJPEG are what people call the formats that the kernel calls RGB3 and MJPG.
            switch text.uppercased() {
            case "RGB24": .rgb24
            case "MJPEG": .mjpeg
            case let name: PixelFormat(name)
            }
        }
    }

    /// The rate where the app asks for none.
    package func rate() throws(V4L2Fault) -> Double? {
        try value("rate", "a number of frames a second, 30") { text in
            Double(text).flatMap { $0 > 0 && $0.isFinite ? $0 : nil }
        }
    }

    /// The rate that an app with that request is to get; nil where nobody wishes for one.
    package func rate(for request: SamplingRequest) throws(V4L2Fault) -> Double? {
        if let rate = request.rate { return rate }
        return try rate()
    }

    /// How many buffers to ask the driver for.
    package func buffers() throws(V4L2Fault) -> Int {
        try value("buffers", "a number from 3 to 32") { text in
            Int(text).flatMap { (3...32).contains($0) ? $0 : nil }
        } ?? 8
    }

    /// Whether to fail where the camera does not give the configured size or format.
    package func mustMatch() throws(V4L2Fault) -> Bool {
        try value("mismatch", "deliver or fail") { Self.choice($0, "fail", "deliver") } ?? false
    }

    /// Whether a session ends when its camera is pulled out, rather than wait for it.
    package func endsOnUnplug() throws(V4L2Fault) -> Bool {
        try value("unplug", "reconnect or end") { Self.choice($0, "end", "reconnect") } ?? false
    }

    /// The distance between rows, whatever the driver says.
    package func stride() throws(V4L2Fault) -> Int? {
        try value("stride", "a number of bytes, 1920") { text in
            Int(text).flatMap { (1...(1 << 24)).contains($0) ? $0 : nil }
        }
    }

    private static func choice(_ text: String, _ yes: String, _ no: String) -> Bool? {
        text == yes ? true : text == no ? false : nil
    }
}
