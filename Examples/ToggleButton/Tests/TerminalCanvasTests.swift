import SensoriumServices
import SensoriumTestKit
import Testing

@testable import ToggleButton

@Suite("terminal canvas", .timeLimit(.minutes(1)))
struct TerminalCanvasTests {
    private let output = Collected<String>()

    private func canvas(_ columns: Int, _ rows: Int) -> TerminalCanvas {
        TerminalCanvas(write: { [output] in output.append($0) }) {
            TerminalCanvas.Grid(columns: columns, rows: rows)
        }
    }

    @Test("fills the cells of its share of the terminal, and leaves the last row to texts")
    func fill() {
        canvas(40, 11).fill(
            Rectangle(x: 0.25, y: 0.2, width: 0.5, height: 0.3), with: .active,
            isHighlighted: false)
        let line = "\u{1b}[48;5;34m" + String(repeating: " ", count: 20)
        #expect(
            output.all == [
                "\u{1b}[10;40H\u{1b}[1J\u{1b}[3;11H\(line)\u{1b}[4;11H\(line)\u{1b}[5;11H\(line)"
                    + "\u{1b}[0m\u{1b}[11;1H"
            ])
    }

    @Test(
        "paints one cell at least, in a terminal of any size", arguments: [(1, 1), (2, 2), (0, 0)])
    func small(columns: Int, rows: Int) {
        canvas(columns, rows).fill(
            Rectangle(x: 0.9, y: 0.9, width: 0.01, height: 0.01), with: .inactive,
            isHighlighted: true)
        #expect(output.all.first?.contains("\u{1b}[48;5;250m ") == true)
    }

    @Test("writes texts into the last row, cut to its length")
    func text() {
        canvas(5, 10).show("Looking")
        #expect(output.all == ["\u{1b}[10;1H\u{1b}[KLooki"])
    }

    @Test(
        "knows its options",
        arguments: [["--finger"], ["--simulated", "--taps", "3"], ["--set", "a=b=c"], ["-x"]])
    func options(words: [String]) {
        let options = Options(words)
        switch words[0] {
        case "--simulated": #expect(options.isSimulated && options.hasFinger && options.taps == 3)
        case "--finger": #expect(!options.isSimulated && options.hasFinger)
        case "--set": #expect(options.settings == ["a": "b=c"])
        default: #expect(options.unknown == ["-x"])
        }
    }
}
