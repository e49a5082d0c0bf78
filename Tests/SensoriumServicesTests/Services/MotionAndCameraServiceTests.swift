import Sensorium
import SensoriumServices
import SensoriumTestKit
import Testing

@Suite("Motion service", .timeLimit(.minutes(1)))
struct MotionServiceTests {
    private let clock = VirtualClock()
    private let delegate = RecordingDelegate()

    @Test("tells the delegate the first acceleration in m/s², and stops")
    func first() async throws {
        let imu = MotionSensorSpy<Acceleration>(clock: clock)
        let service = MotionService(sensor: imu)
        service.delegate = delegate
        try await clock.run {
            service.requestCurrentAcceleration()
            try await imu.deliver(x: .nan, y: 0, z: 0)
            try await imu.deliver(
                Acceleration(
                    time: ReadingTime(clock.now), x: 0, y: 0, z: 1024, flags: .unscaled))
            #expect(delegate.accelerations.all.isEmpty)
            try await imu.deliver(x: 0, y: 0, z: 9.81)
        }
        #expect(delegate.accelerations.all.map(\.z) == [9.81])
        #expect(!imu.isOpen)
    }

    @Test("tells the delegate the error, and whoever awaits it as well")
    func failure() async throws {
        let imu = MotionSensorSpy<Acceleration>("spy/imu", clock: clock)
        let service = MotionService(sensor: imu, timeout: .seconds(2))
        service.delegate = delegate
        try await clock.run {
            service.requestCurrentAcceleration()
            let app = clock.spawn("app") {
                await #expect(throws: SensorError.self) {
                    try await service.currentAcceleration()
                }
            }
            try await imu.started()
            await clock.advance(by: .seconds(2))
            await app.value
            await service.finished()
        }
        guard case .timedOut = delegate.errors.all.first else {
            Issue.record("\(delegate.errors.all)")
            return
        }
    }
}

@Suite("Camera service", .timeLimit(.minutes(1)))
struct CameraServiceTests {
    private let clock = VirtualClock()
    private let delegate = RecordingDelegate()

    private func frame(width: Int = 2, length: Int, of count: Int) -> CameraFrame {
        CameraFrame(
            time: ReadingTime(clock.now), width: width, height: 2, format: .grey,
            planes: [.init(offset: 0, stride: width, length: length)],
            storage: FrameStorage(copying: [UInt8](repeating: 7, count: count)))
    }

    @Test("tells the delegate the first whole picture, and stops")
    func first() async throws {
        let camera = CameraSensorSpy(clock: clock)
        let service = CameraService(sensor: camera)
        service.delegate = delegate
        try await clock.run {
            service.requestPicture()
            try await camera.deliver([
                frame(length: 4, of: 3), frame(length: 0, of: 0),
                frame(width: 0, length: 4, of: 4),
            ])
            #expect(delegate.frames.all.isEmpty)
            try await camera.deliver(frame(length: 4, of: 4))
        }
        #expect(delegate.frames.all.count == 1)
        #expect(!camera.isOpen)
    }

    @Test("lets go of the frames that it passes over")
    func givesBack() async throws {
        let camera = CameraSensorSpy(clock: clock)
        let service = CameraService(sensor: camera) { $0.sequence == 1 }
        let returned = Collected<Int>()
        try await clock.run {
            async let picture = service.picture()
            for number in 0..<2 {
                var one = frame(length: 4, of: 4)
                one.sequence = UInt32(number)
                let kept = one.storage
                one.storage = FrameStorage(bytes: kept.bytes) {
                    _ = kept
                    returned.append(number)
                }
                try await camera.deliver(one)
            }
            let got = try await picture
            #expect(got.sequence == 1)
        }
        #expect(returned.all.first == 0)
    }

    @Test("tells why there is no picture")
    func failure() async throws {
        let camera = CameraSensorSpy("spy/camera", clock: clock)
        camera.refuse(with: .busy("spy/camera", reason: "taken", hint: "wait"))
        let service = CameraService(sensor: camera)
        service.delegate = delegate
        try await clock.run {
            service.requestPicture()
            await service.finished()
        }
        #expect(delegate.errors.all == [.busy("spy/camera", reason: "taken", hint: "wait")])
    }
}
