import Glibc

#if Compression
import CLZ4
import CZstd
#endif

/// How the blocks of an MCAP file are compressed.
public enum MCAPCompression: String, Sendable, Hashable, CaseIterable {
    /// Not at all: the fastest to write.
    case none = ""
    /// LZ4: fast, and a little smaller.
    case lz4
    /// Zstandard: the smallest.
    case zstd

    /// Whether this build can do it: LZ4 and Zstandard are in the trait `Compression`.
    public var isAvailable: Bool {
        #if Compression
        true
        #else
        self == .none
        #endif
    }

    /// The smallest that this build can do.
    public static var preferred: MCAPCompression { zstd.isAvailable ? .zstd : .none }

    /// What to tell the user of a build that lacks it.
    static func error(_ name: String, path: String) -> RecordingError {
        MCAPCompression(rawValue: name) == nil
            ? RecordingError(
                .unsupported, path: path,
                reason:
                    "its blocks are compressed with \"\(name)\", which this package does not know",
                hint: "write it again with zstd or lz4")
            : RecordingError(
                .unsupported, path: path,
                reason: "it is compressed with \(name), and this build has no compression",
                hint:
                    "build with the trait Compression, or write the file again without compression")
    }
}

/// Compresses and decompresses blocks, and keeps what that needs between them.
final class BlockCodec {
    #if Compression
    private var compressor: OpaquePointer?
    private var decompressor: OpaquePointer?
    private var lz4Decompressor: OpaquePointer?

    deinit {
        ZSTD_freeCCtx(compressor)
        ZSTD_freeDCtx(decompressor)
        LZ4F_freeDecompressionContext(lz4Decompressor)
    }
    #endif

    /// Adds the compressed bytes to `output`; false where the library cannot, for lack of memory.
    func compress(
        _ bytes: UnsafeRawBufferPointer, with compression: MCAPCompression, to output: ByteBuffer
    ) -> Bool {
        #if Compression
        let place = output.count
        switch compression {
        case .none:
            output.append(bytes)
            return true
        case .zstd:
            if compressor == nil { compressor = ZSTD_createCCtx() }
            let bound = ZSTD_compressBound(bytes.count)
            let start = output.grow(by: bound)
            let size = ZSTD_compressCCtx(
                compressor, start, bound, bytes.baseAddress, bytes.count, 1)
            output.truncate(to: place)
            guard compressor != nil, ZSTD_isError(size) == 0 else { return false }
            _ = output.grow(by: size)
            return true
        case .lz4:
            let bound = LZ4F_compressFrameBound(bytes.count, nil)
            let start = output.grow(by: bound)
            let size = LZ4F_compressFrame(start, bound, bytes.baseAddress, bytes.count, nil)
            output.truncate(to: place)
            guard LZ4F_isError(size) == 0 else { return false }
            _ = output.grow(by: size)
            return true
        }
        #else
        guard compression == .none else { return false }
        output.append(bytes)
        return true
        #endif
    }

    /// Fills `output` with what `bytes` hold, `size` bytes; false where they hold anything else.
    func decompress(
        _ bytes: UnsafeRawBufferPointer, with compression: MCAPCompression, size: Int,
        to output: ByteBuffer
    ) -> Bool {
        output.truncate(to: 0)
        #if Compression
        switch compression {
        case .none:
            guard bytes.count == size else { return false }
            output.append(bytes)
            return true
        case .zstd: return inflateZstd(bytes, size, output)
        case .lz4: return inflateLZ4(bytes, size, output)
        }
        #else
        guard compression == .none, bytes.count == size else { return false }
        output.append(bytes)
        return true
        #endif
    }

    #if Compression
    private func inflateZstd(
        _ bytes: UnsafeRawBufferPointer, _ size: Int, _ output: ByteBuffer
    ) -> Bool {
        if decompressor == nil { decompressor = ZSTD_createDCtx() }
        // Several frames may follow each other; the first one's size is a bound from below.
        let told = ZSTD_getFrameContentSize(bytes.baseAddress, bytes.count)
        if told == UInt64.max - 1 { return false }
        if told != UInt64.max, told > UInt64(size) { return false }
        let start = output.grow(by: size)
        let count = ZSTD_decompressDCtx(
            decompressor, start, size, bytes.baseAddress, bytes.count)
        return decompressor != nil && ZSTD_isError(count) == 0 && count == size
    }

    private func inflateLZ4(
        _ bytes: UnsafeRawBufferPointer, _ size: Int, _ output: ByteBuffer
    ) -> Bool {
        if lz4Decompressor == nil {
            guard
                LZ4F_isError(
                    LZ4F_createDecompressionContext(
                        &lz4Decompressor, UInt32(LZ4F_VERSION))) == 0
            else { return false }
        }
        guard let context = lz4Decompressor, let source = bytes.baseAddress else { return false }
        // A block that failed leaves its state behind.
        LZ4F_resetDecompressionContext(context)
        let start = output.grow(by: size)
        var (read, written, next) = (0, 0, 1)
        while read < bytes.count {
            var taken = bytes.count - read
            var given = size - written
            next = LZ4F_decompress(
                context, start + written, &given, source + read, &taken, nil)
            if LZ4F_isError(next) != 0 || (taken == 0 && given == 0) { return false }
            read += taken
            written += given
        }
        return next == 0 && written == size
    }
    #endif
}
