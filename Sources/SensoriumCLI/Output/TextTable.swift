/// Columns of text, each as wide as its widest cell.
enum TextTable {
    /// The lines of a table, its header first; none where there is no row.
    static func lines(_ header: [String], _ rows: [[String]]) -> [String] {
        if rows.isEmpty { return [] }
        let widths = header.indices.map { column in
            ([header] + rows).map { $0[column].count }.max() ?? 0
        }
        return ([header] + rows).map { cells in
            var line = ""
            for (cell, width) in zip(cells.dropLast(), widths) {
                line += cell.fitted(to: width + 2)
            }
            return line + (cells.last ?? "")
        }
    }
}
