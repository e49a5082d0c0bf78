import Sensorium
import Testing

@Suite("Timestamp", .timeLimit(.minutes(1)))
struct TimestampTests {
    @Test(
        "is ISO 8601 with as many digits as needed",
        arguments: [
            (0, "1970-01-01T00:00:00Z"),
            (1, "1970-01-01T00:00:00.000000001Z"),
            (-1, "1969-12-31T23:59:59.999999999Z"),
            (1_704_110_400_250_000_000, "2024-01-01T12:00:00.25Z"),
            (1_709_164_800_000_000_000, "2024-02-29T00:00:00Z"),
            (951_782_399_000_000_000, "2000-02-28T23:59:59Z"),
            (951_868_799_100_000_000, "2000-02-29T23:59:59.1Z"),
            (4_107_542_400_000_000_000, "2100-03-01T00:00:00Z"),
            (1_483_228_799_000_000_000, "2016-12-31T23:59:59Z"),
            (Int64.max, "2262-04-11T23:47:16.854775807Z"),
            (Int64.min, "1677-09-21T00:12:43.145224192Z"),
        ] as [(Int64, String)])
    func text(nanoseconds: Int64, expected: String) {
        #expect(Timestamp(nanoseconds: nanoseconds).description == expected)
    }
}

@Suite("Civil date", .timeLimit(.minutes(1)))
struct CivilDateTests {
    @Test("is the same after a way over its number of days")
    func days() throws {
        for count in stride(from: -800_000, through: 800_000, by: 97) {
            #expect(CivilDate(daysSince1970: count).daysSince1970 == count)
        }
        #expect(CivilDate(daysSince1970: 0).description == "1970-01-01")
        #expect(CivilDate(daysSince1970: 11_016).description == "2000-02-29")
        #expect(try #require(CivilDate(year: 2026, month: 1, day: 1)).daysSince1970 == 20_454)
    }

    @Test("knows which days there are")
    func validity() {
        #expect(CivilDate(year: 2000, month: 2, day: 29) != nil)
        #expect(CivilDate(year: 1900, month: 2, day: 29) == nil)
        #expect(CivilDate(year: 2026, month: 4, day: 31) == nil)
        #expect(CivilDate(year: 2026, month: 13, day: 1) == nil)
        #expect(CivilDate(year: 2026, month: 0, day: 1) == nil)
        #expect(CivilDate(year: 2026, month: 1, day: 0) == nil)
    }
}
