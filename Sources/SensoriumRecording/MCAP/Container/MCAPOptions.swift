/// How an MCAP file is written.
public struct MCAPOptions: Sendable, Hashable {
    /// How its blocks are compressed.
    public var compression: MCAPCompression
    /// How many bytes a block has, before it is compressed, when it is written; 0 for a file without
    /// blocks, which is not compressed and has no index.
    ///
    /// A block is also written at each flush, whatever its size.
    public var chunkSize: Int

    /// Makes options.
    public init(compression: MCAPCompression = .preferred, chunkSize: Int = 1 << 20) {
        self.compression = compression
        self.chunkSize = max(0, chunkSize)
    }
}
