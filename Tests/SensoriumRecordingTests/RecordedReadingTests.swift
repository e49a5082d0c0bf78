import Sensorium
import SensoriumRecording
import Testing

@Suite("Recorded reading", .timeLimit(.minutes(1)))
struct RecordedReadingTests {
    @Test("a reading comes out as the type that went in, and as no other")
    func wraps() {
        let reading = Acceleration(
            time: ReadingTime(SensorInstant(nanoseconds: 5)), x: 1, y: 2, z: 3)
        let recorded = RecordedReading(reading)
        #expect(Acceleration(recorded) == reading)
        #expect(AngularVelocity(recorded) == nil)
        #expect(recorded.kind == .acceleration)
    }

    @Test("time and flags can be changed without a look at the kind")
    func changes() {
        var recorded = RecordedReading(
            Pressure(time: ReadingTime(SensorInstant(nanoseconds: 5)), value: 101_325))
        recorded.time.instant = SensorInstant(nanoseconds: 7)
        recorded.flags.insert(.interpolated)
        let changed = Pressure(recorded)
        #expect(changed?.instant.nanoseconds == 7)
        #expect(changed?.flags == .interpolated)
        #expect(changed?.value == 101_325)
    }

    @Test("two pictures are alike when the bytes of their planes are")
    func pictures() {
        func picture(_ bytes: [UInt8]) -> RecordedReading {
            .camera(
                CameraFrame(
                    time: ReadingTime(SensorInstant(nanoseconds: 5)), width: 2, height: 1,
                    format: .grey,
                    planes: [CameraFrame.Plane(offset: 1, stride: 2, length: 2)],
                    storage: FrameStorage(copying: bytes)))
        }
        #expect(picture([0, 1, 2]) == picture([9, 1, 2]))
        #expect(picture([0, 1, 2]) != picture([0, 1, 3]))
        #expect(picture([0, 1]) != picture([0, 1]), "its plane lies outside")
    }
}
