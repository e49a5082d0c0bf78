/// Prints rows as a table for people, or as JSON for programs.
enum Report {
    static func table(_ rows: [Row]) -> String {
        let head = ["what", "value", "goal", "rival", "times faster", ""]
        let body = rows.map { row in
            [
                row.name, "\(short(row.value)) \(row.unit)", "\(short(row.goal)) \(row.unit)",
                row.rival.map { "\($0.name) \(short($0.value))" } ?? "-",
                (row.ratio.map(short) ?? "-")
                    + (row.goalRatio.map { " (goal \(short($0)))" } ?? ""),
                row.isMet ? "met" : "MISSED",
            ]
        }
        let widths = head.indices.map { column in
            ([head] + body).map { $0[column].count }.max() ?? 0
        }
        return ([head] + body).map { cells in
            zip(cells, widths).map { cell, width in
                cell + String(repeating: " ", count: width - cell.count)
            }.joined(separator: "  ")
        }.joined(separator: "\n")
    }

    static func json(_ rows: [Row]) -> String {
        let objects = rows.map { row in
            let rival = row.rival.map {
                "{\"name\":\"\($0.name)\",\"value\":\(number($0.value))}"
            }
            return
                "{\"name\":\"\(row.name)\",\"value\":\(number(row.value)),\"unit\":\"\(row.unit)\","
                + "\"rival\":\(rival ?? "null"),\"ratio\":\(row.ratio.map(number) ?? "null"),"
                + "\"goal\":\(number(row.goal)),\"met\":\(row.isMet)}"
        }
        return "[" + objects.joined(separator: ",\n") + "]"
    }

    private static func number(_ value: Double) -> String {
        value.isFinite ? "\(value)" : "null"
    }

    /// Three digits that matter.
    private static func short(_ value: Double) -> String {
        let digits = value.magnitude >= 100 ? 1.0 : value.magnitude >= 10 ? 10 : 100
        let rounded = (value * digits).rounded() / digits
        return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
    }
}
