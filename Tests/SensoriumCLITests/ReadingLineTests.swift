import Sensorium
import Testing

@testable import SensoriumCLI

@Suite("Reading line", .timeLimit(.minutes(1)))
struct ReadingLineTests {
    private func json(_ reading: some PrintableReading) -> String {
        String(decoding: ReadingLine.json(reading, of: "a/b"), as: UTF8.self)
    }

    private func text(_ reading: some PrintableReading) -> String {
        String(decoding: ReadingLine.text(reading, of: "a/b"), as: UTF8.self)
    }

    // MARK: JSON

    @Test("of a fix has all that is known")
    func fix() {
        #expect(
            json(Samples.fix)
                == #"{"sensor":"a/b","kind":"location","t":12500000000,"#
                + #""utc":"2024-01-01T12:00:00.25Z","latitude":48.137154,"longitude":-11.5,"#
                + #""altitudeMSL":519.3,"altitudeEllipsoid":565.25,"horizontalAccuracy":4.1,"#
                + #""verticalAccuracy":6.0,"accuracyConfidence":"68%","#
                + #""verticalAccuracyConfidence":"95%","speed":1.5,"speedAccuracy":0.1,"#
                + #""course":270.25,"courseAccuracy":2.0,"climb":-0.5,"fix":"3D","#
                + #""quality":"rtk-fixed","satellitesUsed":9}"# + "\n")
    }

    @Test("of a fix leaves out what is unknown, but for the UTC, and says what is to be known")
    func bareFix() {
        #expect(
            json(Samples.bareFix)
                == #"{"sensor":"a/b","kind":"location","t":12500000000,"utc":null,"#
                + #""simulated":true,"timeSource":"arrival","latitude":0.0,"longitude":0.0,"#
                + #""fix":"2D"}"# + "\n")
    }

    @Test("of a vector has three axes")
    func motion() {
        let expected =
            #"{"sensor":"a/b","kind":"acceleration","t":12480000000,"utc":null,"#
            + #""x":0.125,"y":-0.25,"z":9.75}"# + "\n"
        #expect(json(Samples.acceleration) == expected)
    }

    @Test("leaves out an axis that is not a number")
    func notANumber() {
        var reading = Samples.acceleration
        reading.y = .nan
        reading.accuracy = Accuracy(0.5, .drms)
        reading.flags = [.saturated, .unscaled, .untrustedTime, .interpolated]
        #expect(
            json(reading)
                == #"{"sensor":"a/b","kind":"acceleration","t":12480000000,"utc":null,"#
                + #""interpolated":true,"saturated":true,"unscaled":true,"untrustedTime":true,"#
                + #""x":0.125,"z":9.75,"accuracy":0.5,"accuracyConfidence":"DRMS"}"# + "\n")
    }

    @Test("of a scalar has its value, in the unit of its kind")
    func scalar() {
        let pressure = Pressure(time: Samples.time, value: 101_325)
        #expect(json(pressure).hasSuffix(#""value":101325.0}"# + "\n"))
        #expect(json(pressure).contains(#""kind":"pressure""#))
    }

    @Test("of satellites lists them")
    func satellites() {
        let reading = Satellites(
            time: Samples.time,
            inView: [
                Satellite(
                    system: .galileo, number: 5, elevation: 10, azimuth: 20.5, signal: 40,
                    isUsed: true, isHealthy: true),
                Satellite(number: 120, isUsed: false),
            ], dilution: .init(horizontal: 0.9))
        #expect(
            json(reading).hasSuffix(
                #""used":1,"dilution":{"horizontal":0.9},"satellites":[{"system":"Galileo","#
                    + #""number":5,"elevation":10.0,"azimuth":20.5,"signal":40.0,"used":true,"#
                    + #""healthy":true},{"number":120,"used":false}]}"# + "\n"))
    }

    @Test("has the members of every kind")
    func otherKinds() throws {
        let heading = try #require(Heading(time: Samples.time, magneticNorth: 12, declination: 3.5))
        #expect(json(heading).hasSuffix(#""magneticNorth":12.0,"declination":3.5}"# + "\n"))
        let attitude = try #require(Attitude(time: Samples.time, w: 1, x: 0, y: 0, z: 0))
        #expect(json(attitude).hasSuffix(#""w":1.0,"x":0.0,"y":0.0,"z":0.0}"# + "\n"))
        let touch = TouchEvent(time: Samples.time, phase: .began, touch: 3, x: 0.5, y: 0.25)
        #expect(
            json(touch).hasSuffix(
                #""phase":"began","touch":3,"x":0.5,"y":0.25,"tool":"finger","endsFrame":true}"#
                    + "\n"))
        let key = KeyEvent(time: Samples.time, code: 164, phase: .pressed)
        #expect(json(key).hasSuffix(#""code":164,"phase":"pressed"}"# + "\n"))
        let frame = CameraFrame(
            time: Samples.time, width: 4, height: 2, format: .grey, planes: [],
            storage: FrameStorage(copying: [UInt8](repeating: 0, count: 8)), sequence: 7)
        #expect(
            json(frame).hasSuffix(
                #""width":4,"height":2,"format":"GREY","sequence":7,"bytes":8}"# + "\n"))
    }

    @Test("escapes a sensor's name")
    func name() {
        let line = ReadingLine.json(Samples.acceleration, of: "a\"b\n")
        #expect(String(decoding: line, as: UTF8.self).hasPrefix(#"{"sensor":"a\"b\n","#))
    }

    // MARK: For people

    @Test("for people has units, and in brackets what is to be known")
    func people() {
        #expect(
            text(Samples.fix)
                == "12.500000  a/b  latitude 48.1371540°  longitude -11.5000000°  "
                + "accuracy 4.1 m (68%)  altitude 519.3 m  speed 1.50 m/s  course 270.2°  "
                + "(3D, rtk-fixed, 9 satellites)  at 2024-01-01T12:00:00.25Z\n")
        #expect(
            text(Samples.bareFix)
                == "12.500000  a/b  latitude 0.0000000°  longitude 0.0000000°  "
                + "(2D, simulated, stamped on arrival)\n")
        #expect(
            text(Samples.acceleration)
                == "12.480000  a/b  x 0.125 m/s²  y -0.250 m/s²  z 9.750 m/s²\n")
    }

    @Test("for people uses the units that people know")
    func units() {
        func field(_ reading: some PrintableReading) -> String { reading.fields[0].text }
        #expect(field(Pressure(time: Samples.time, value: 101_325)) == "pressure 1013.25 hPa")
        #expect(field(Humidity(time: Samples.time, value: 0.5)) == "humidity 50.0 %")
        #expect(field(MagneticField(time: Samples.time, x: 4.5e-5, y: 0, z: 0)) == "x 45.00 µT")
        #expect(field(Temperature(time: Samples.time, value: -3.5)) == "temperature -3.50 °C")
    }

    @Test("for people shows raw counts as counts")
    func unscaled() {
        let reading = MagneticField(time: Samples.time, x: 120, y: 0, z: 0, flags: .unscaled)
        #expect(reading.fields[0].text == "x 120.00 counts")
        #expect(text(reading).contains("(unscaled)"))
    }

    // MARK: Pairs

    @Test("of a pair has each side under its kind, and the skew in seconds")
    func pair() {
        let pair = Joined(
            first: Samples.bareFix, second: Samples.acceleration, skew: .milliseconds(-20))
        let line = String(
            decoding: ReadingLine.json(pair, of: "gps", and: "imu"), as: UTF8.self)
        #expect(
            line
                == #"{"location":{"sensor":"gps","kind":"location","t":12500000000,"utc":null,"#
                + #""simulated":true,"timeSource":"arrival","latitude":0.0,"longitude":0.0,"#
                + #""fix":"2D"},"acceleration":{"sensor":"imu","kind":"acceleration","#
                + #""t":12480000000,"utc":null,"x":0.125,"y":-0.25,"z":9.75},"skew":-0.02}"# + "\n")
        let text = String(decoding: ReadingLine.text(pair, of: "gps", and: "imu"), as: UTF8.self)
        #expect(
            text.hasSuffix("| imu  x 0.125 m/s²  y -0.250 m/s²  z 9.750 m/s² | skew -20.0 ms\n"))
    }

    @Test("of a pair of one kind numbers the second")
    func samePair() {
        let pair = Joined(
            first: Samples.acceleration, second: Samples.acceleration, skew: .zero)
        let line = String(decoding: ReadingLine.json(pair, of: "a", and: "b"), as: UTF8.self)
        #expect(line.hasPrefix(#"{"acceleration":{"sensor":"a","#))
        #expect(line.contains(#","acceleration2":{"sensor":"b","#))
        #expect(line.hasSuffix(#","skew":0.0}"# + "\n"))
    }

    @Test("knows the type of every kind", arguments: SensorKind.allCases)
    func types(kind: SensorKind) {
        #expect(kind.readingType.kind == kind)
    }
}
