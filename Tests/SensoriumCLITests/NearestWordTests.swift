import Testing

@testable import SensoriumCLI

@Suite("Nearest word", .timeLimit(.minutes(1)))
struct NearestWordTests {
    @Test(
        "is the word that was probably meant",
        arguments: [
            ("wacth", "watch"), ("wtch", "watch"), ("watchs", "watch"), ("joni", "join"),
            ("plug", "plugins"), ("LIST", "list"),
        ])
    func near(typed: String, meant: String) {
        #expect(NearestWord(to: typed, among: Self.words).word == meant)
    }

    @Test("is none where nothing is near", arguments: ["", "x", "elephant", "li st op"])
    func far(typed: String) {
        #expect(NearestWord(to: typed, among: Self.words).word == nil)
        #expect(NearestWord(to: typed, among: Self.words).suggestion == "")
    }

    @Test("counts a swap of neighbours as one step")
    func swap() {
        #expect(NearestWord.distance(Array("ab"), Array("ba")) == 1)
        #expect(NearestWord.distance(Array("abc"), Array("")) == 3)
        #expect(NearestWord.distance(Array("kitten"), Array("sitting")) == 3)
    }

    private static let words = ["list", "probe", "plugins", "watch", "join", "decode"]
}
