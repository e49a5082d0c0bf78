/// Finds the word that somebody probably meant.
struct NearestWord {
    /// The nearest of the words; nil where none is near.
    let word: String?

    init(to typed: String, among words: [String]) {
        let typed = typed.lowercased()
        let limit = max(1, typed.count / 3)
        let beginnings = words.filter { typed.count >= 2 && $0.hasPrefix(typed) }
        if beginnings.count == 1 {
            word = beginnings[0]
            return
        }
        word =
            words
            .map { (word: $0, distance: Self.distance(Array(typed), Array($0.lowercased()))) }
            .filter { $0.distance <= limit }
            .min { $0.distance < $1.distance }?.word
    }

    /// `did you mean 'watch'?`, or nothing.
    var suggestion: String { word.map { "did you mean '\($0)'?" } ?? "" }

    /// How many letters must be inserted, removed, replaced or swapped with their neighbour
    /// (optimal string alignment).
    static func distance(_ a: [Character], _ b: [Character]) -> Int {
        if a.isEmpty || b.isEmpty { return max(a.count, b.count) }
        var beforeLast = [Int]()
        var last = Array(0...b.count)
        for i in 1...a.count {
            var row = [i] + Array(repeating: 0, count: b.count)
            for j in 1...b.count {
                let replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)
                row[j] = min(last[j] + 1, row[j - 1] + 1, replaced)
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
                    row[j] = min(row[j], beforeLast[j - 2] + 1)
                }
            }
            beforeLast = last
            last = row
        }
        return last[b.count]
    }
}
