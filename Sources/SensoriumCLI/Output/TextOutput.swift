/// Where a command's text goes.
protocol TextOutput: Sendable {
    /// Takes text, in order. Waits while more is waiting to be written than is good; what comes
    /// after the reader is gone is thrown away.
    func write(_ bytes: [UInt8]) async

    /// Takes text without waiting; it may be left out where far too much is waiting already.
    func post(_ text: String)

    /// Waits until all that it took is written.
    func drained() async
}

extension TextOutput {
    /// Takes text, in order.
    func write(_ text: String) async { await write(Array(text.utf8)) }
}
