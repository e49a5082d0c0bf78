/// What was told last, for the foot of a table.
struct RecentMessages {
    private static let limit = 5

    private var messages: [String] = []

    mutating func tell(_ message: String) {
        messages.append(message)
        if messages.count > Self.limit { messages.removeFirst() }
    }

    /// The messages below an empty line; nothing where there is none.
    var lines: [String] { messages.isEmpty ? [] : [""] + messages }
}
