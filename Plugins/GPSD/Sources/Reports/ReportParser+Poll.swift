/// POLL: the last reports of every receiver, as an answer to `?POLL`.
extension ReportParser {
    mutating func poll(
        _ scanner: inout JSONScanner, _ first: Bool
    ) throws(JSONFault) -> PollReport {
        var report = PollReport()
        var isFirst = first
        while let key = try scanner.nextKey(isFirst: isFirst) {
            isFirst = false
            switch key {
            case JSONText.name("time"): report.time = try time(&scanner)
            case JSONText.name("tpv"):
                try list(&scanner) { parser, scanner throws(JSONFault) in
                    parser.lastPosition = PositionReport()
                    try parser.position(&scanner, true)
                    report.positions.append(parser.lastPosition)
                }
            case JSONText.name("sky"):
                try list(&scanner) { parser, scanner throws(JSONFault) in
                    report.skies.append(try parser.sky(&scanner, true))
                }
            default: try scanner.skip()
            }
        }
        return report
    }

    private mutating func list(
        _ scanner: inout JSONScanner,
        _ read: (inout ReportParser, inout JSONScanner) throws(JSONFault) -> Void
    ) throws(JSONFault) {
        try scanner.enterArray()
        var isFirst = true
        while try scanner.nextElement(isFirst: isFirst) {
            isFirst = false
            try scanner.enterObject()
            try read(&self, &scanner)
        }
    }
}
