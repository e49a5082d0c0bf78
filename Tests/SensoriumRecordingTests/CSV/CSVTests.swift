import Sensorium
import SensoriumRecording
import Testing

@Suite("CSV", .timeLimit(.minutes(1)))
struct CSVTests {
    @Test(
        "every field of every kind but camera comes back as it was",
        arguments: [
            RecordingClock(domain: .boottime, utcOffset: 1_600_000_000_000_000_000),
            RecordingClock(domain: .boottime), .utc,
        ])
    func roundTrip(clock: RecordingClock) throws {
        let folder = try TemporaryFolder()
        let every = EveryReading(clock: clock).recording
        let file = try folder.roundTrip(every, as: "every.csv")
        #expect(file.format == "csv")
        #expect(file.damage.isEmpty, "\(file.damage.notes)")
        #expect(file.content.metadata.clock == clock)
        #expect(file.content.events.count == every.events.count)
        for (read, written) in zip(file.content.events, every.events) { #expect(read == written) }
        #expect(file.content.sensors.map(\.id) == every.sensors.map(\.id))
        #expect(file.content.sensors.map(\.kind) == every.sensors.map(\.kind))
        #expect(file.summary?.readings.values.reduce(0, +) == every.events.count)
    }

    @Test("has the columns of the kinds that it holds, with their units")
    func header() throws {
        let folder = try TemporaryFolder()
        var recording = MemoryRecording(
            sensors: [
                RecordedSensor(SensorDescriptor(id: "a", kind: .acceleration, name: "a")),
                RecordedSensor(SensorDescriptor(id: "p", kind: .pressure, name: "p")),
            ],
            metadata: RecordingMetadata(
                clock: RecordingClock(
                    domain: .boottime, utcOffset: 1_700_000_000_000_000_000)))
        recording.append(
            Acceleration(
                time: ReadingTime(SensorInstant(nanoseconds: 1_500_000_000)), x: 1, y: 2.5, z: -3),
            of: "a")
        _ = try folder.roundTrip(recording, as: "two.csv")
        let lines = String(decoding: try folder.read("two.csv"), as: UTF8.self)
            .split(separator: "\n")
        #expect(
            lines.first == """
                utc,time_ns,sensor,kind,acceleration_x_m_s2,acceleration_y_m_s2,\
                acceleration_z_m_s2,accuracy,accuracy_confidence,pressure_Pa,\
                measured_ns,original_ns,original_clock,uncertainty_s,time_source,flags
                """)
        #expect(
            lines.last == """
                2023-11-14T22:13:21.5Z,1500000000,a,acceleration,1.0,2.5,-3.0,,,,\
                1500000000,,,,device,
                """)
    }

    @Test("refuses a sensor of a kind that its table has no columns for")
    func lateSensor() throws {
        let folder = try TemporaryFolder()
        let create = try #require(RecordingFormat.csv.create)
        let writer = try create("\(folder.path)/late.csv", RecordingMetadata(clock: .utc))
        try writer.add(RecordedSensor(SensorDescriptor(id: "p", kind: .pressure, name: "p")))
        try writer.write(
            RecordedEvent(
                sensor: "p", instant: nil,
                content: .reading(.pressure(Pressure(time: ReadingTime(.now(1)), value: 1)))))
        try writer.add(RecordedSensor(SensorDescriptor(id: "q", kind: .pressure, name: "q")))
        let error = recordingError {
            try writer.add(RecordedSensor(SensorDescriptor(id: "k", kind: .key, name: "k")))
        }
        #expect(error?.condition == .unsupported)
    }

    @Test("takes times in nanoseconds with x, y and z as an acceleration")
    func gesture() throws {
        let folder = try TemporaryFolder()
        let file = try folder.reading(
            "t_ns,x,y,z\n0,0.0000,0.0000,9.8066\n20000000,24.5166,0.0000,9.8066\n", as: "shake.csv")
        let readings = file.readings(Acceleration.self)
        #expect(readings.map(\.x) == [0, 24.5166])
        #expect(readings.map(\.z) == [9.8066, 9.8066])
        #expect(file.seconds == [0, 0.02])
        #expect(file.content.sensors.map(\.id) == ["csv/acceleration"])
    }

    @Test(
        "takes positions under the names and separators that others use",
        arguments: [
            "time,lat,lon,ele\n2024-01-01T12:00:00.5+01:00,10.25,-20.5,100\n",
            "\u{feff}Timestamp;Latitude [deg];Longitude [deg];Altitude (m)\r\n"
                + "2024-01-01 11:00:00,5Z;10,25;-20,5;100,0\r\n",
            "latitude\tlongitude\taltitude_m\ttime\n10.25\t-20.5\t1e2\t2024-01-01T11:00:00.5\n",
            "t_s,lng,lat,alt\n1704106800.5,-20.5,10.25,100",
        ])
    func positions(text: String) throws {
        let folder = try TemporaryFolder()
        let file = try folder.reading(text, as: "places.csv")
        let fix = try #require(file.fixes.first)
        #expect(fix.latitude == 10.25)
        #expect(fix.longitude == -20.5)
        #expect(fix.altitudeMSL == 100)
        #expect(file.seconds == [1_704_106_800.5])
        #expect(file.damage.isEmpty)
    }

    @Test("keeps the good rows beside the bad ones, and counts those")
    func badRows() throws {
        let folder = try TemporaryFolder()
        let file = try folder.reading(
            """
            t_s,lat,lon
            1,10,20
            x,10,20
            2,91,20
            3,,20
            4,0x10,20
            5

            6,11,21
            """, as: "bad.csv")
        #expect(file.fixes.map(\.latitude) == [10, 11])
        #expect(file.damage.skippedRecords == 5)
        #expect(file.damage.notes.first?.contains("row 3") == true)
    }

    @Test("knows its own tables by their first row, whatever they are called")
    func recognized() throws {
        let folder = try TemporaryFolder()
        let file = try folder.reading(
            "time_ns,sensor,kind,pressure_Pa\n5,baro,pressure,100\n", as: "table.txt")
        #expect(file.format == "csv")
        #expect(file.readings(Pressure.self).map(\.value) == [100])
    }

    @Test("says that a table without known columns is none")
    func unknownColumns() throws {
        let folder = try TemporaryFolder()
        let error = recordingError {
            _ = try folder.reading("a,b,c\n1,2,3\n", as: "other.csv")
        }
        #expect(error?.condition == .malformed)
    }

    @Test("counts a list of satellites that lacks a row, and goes on with the next")
    func brokenList() throws {
        let folder = try TemporaryFolder()
        let head = "time_ns,sensor,kind,satellite,satellites_in_view,satellite_number,is_used\n"
        let file = try folder.reading(
            head + "1,s,satellites,1,2,5,1\n2,s,satellites,2,3,6,1\n"
                + "3,s,satellites,1,2,5,1\n3,s,satellites,2,2,6,0\n4,s,satellites,1,2,7,1\n",
            as: "sky.csv")
        #expect(file.readings(Satellites.self).map { $0.inView.map(\.number) } == [[5, 6]])
        #expect(file.damage.skippedRecords == 2)
    }

    @Test("a row without an end and a row without a limit cost no memory, and nothing else")
    func endlessRow() throws {
        let folder = try TemporaryFolder()
        let long = String(repeating: "9", count: 300_000)
        let file = try folder.reading(
            "t_s,lat,lon\n1,10,20\n\(long)\n2,11,21\n3,\"12\n,22", as: "long.csv")
        #expect(file.fixes.map(\.latitude) == [10, 11])
        #expect(file.damage.skippedRecords == 2)
    }
}

extension SensorInstant {
    /// Seconds after boot.
    static func now(_ seconds: Int64) -> SensorInstant {
        SensorInstant(nanoseconds: seconds * 1_000_000_000)
    }
}
