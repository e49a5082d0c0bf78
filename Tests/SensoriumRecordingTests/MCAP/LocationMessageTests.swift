import Sensorium
import SensoriumRecording
import Testing

@Suite("fixes as foxglove.LocationFix", .timeLimit(.minutes(1)))
struct LocationMessageTests {
    private static let time = ReadingTime(SensorInstant(nanoseconds: 12_000_000_345))

    /// The messages of a fix that is written, and the fix that is read again.
    private static func messages(_ fix: LocationFix) throws -> (first: [UInt8], read: LocationFix) {
        let folder = try TemporaryFolder()
        var recording = MemoryRecording(
            sensors: [RecordedSensor(SensorDescriptor(id: "gps", kind: .location, name: "G"))])
        recording.append(fix, of: "gps")
        let read = try #require(try folder.roundTrip(recording, as: "fix.mcap").fixes.first)
        let file = try MCAPFileReader("\(folder.path)/fix.mcap")
        let message = try #require(try file.next())
        #expect(file.channels[message.channel]?.schema?.name == "foxglove.LocationFix")
        return (Array(message.payload), read)
    }

    /// The message that another program would write.
    private static func message(altitude: Double, covariance: [Double]) -> [UInt8] {
        var message = MessageBytes()
        message.add(1, 48.25)
        message.add(2, -11.5)
        message.add(3, altitude)
        for value in covariance { message.add(4, value) }
        if !covariance.isEmpty { message.add(5, varint: 1) }
        message.add(6, seconds: 12, nanoseconds: 345)
        message.add(7, Array("gps".utf8))
        return message.bytes
    }

    @Test(
        "an accuracy is written as the variance of one axis, if its confidence is known",
        arguments: [
            (Accuracy(2, .drms), Accuracy(3, .drms), 2.0, 9.0),
            (Accuracy(2.447_746_830_680_816, .ninetyFivePercent), Accuracy(3, .drms), 1, 9),
            (Accuracy(3.019_184_357_082_903, .sixtyEightPercent), Accuracy(0, .drms), 4, 0),
            (
                Accuracy(1.177_410_022_515_474_7, .fiftyPercent),
                Accuracy(1.959_963_984_540_054, .ninetyFivePercent), 1, 1
            ),
            (Accuracy(2, .drms), Accuracy(0.674_489_750_196_081_7, .fiftyPercent), 2, 1),
        ])
    func covariance(horizontal: Accuracy?, vertical: Accuracy?, plane: Double, up: Double) throws {
        let fix = LocationFix(
            time: Self.time, latitude: 48.25, longitude: -11.5, altitudeEllipsoid: 547.5,
            horizontalAccuracy: horizontal, verticalAccuracy: vertical)
        let (bytes, read) = try Self.messages(fix)
        let variances = (0..<9).compactMap { place in
            // After three fields of a double: fields of one byte and a double.
            let start = 27 + place * 9 + 1
            return bytes.count < start + 8
                ? nil
                : Double(
                    bitPattern: bytes[start..<start + 8].reversed().reduce(0) {
                        $0 << 8 | UInt64($1)
                    })
        }
        try #require(variances.count == 9)
        for (found, wanted) in zip(variances, [plane, 0, 0, 0, plane, 0, 0, 0, up]) {
            #expect(abs(found - wanted) <= 1e-14 * wanted)
        }
        #expect(bytes == Self.message(altitude: 547.5, covariance: variances))
        #expect(read == fix)
    }

    @Test(
        "a bound of unknown confidence is no deviation: the message has none, the fix keeps it",
        arguments: [
            (Accuracy(2, .unspecified), Accuracy(3, .drms)),
            (Accuracy(2, .drms), Accuracy(3, .unspecified)), (nil, Accuracy(3, .drms)),
            (Accuracy(2, .drms), nil), (nil, nil),
        ])
    func unknownConfidence(horizontal: Accuracy?, vertical: Accuracy?) throws {
        let fix = LocationFix(
            time: Self.time, latitude: 48.25, longitude: -11.5, altitudeEllipsoid: 547.5,
            horizontalAccuracy: horizontal, verticalAccuracy: vertical)
        let (bytes, read) = try Self.messages(fix)
        #expect(bytes == Self.message(altitude: 547.5, covariance: []))
        #expect(read == fix)
    }

    @Test("a height above the sea is never written as one above the ellipsoid")
    func altitude() throws {
        let fix = LocationFix(
            time: Self.time, latitude: 48.25, longitude: -11.5, altitudeMSL: 500)
        let (bytes, read) = try Self.messages(fix)
        #expect(bytes == Self.message(altitude: .nan, covariance: []))
        #expect(read == fix)
    }
}
