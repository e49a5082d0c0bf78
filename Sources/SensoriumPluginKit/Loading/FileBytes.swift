import Glibc

/// The bytes of a file that is looked at, not run: every access is checked against its size.
///
/// A file is read with `pread`, never mapped: reading a mapped file that somebody truncates raises
/// SIGBUS, reading past its end merely gives fewer bytes.
struct FileBytes {
    private enum Source {
        case memory([UInt8])
        case descriptor(Int32)
    }

    /// How long the file is, in bytes.
    let count: UInt64
    private let source: Source

    /// Bytes that a test made up: the beginning of a file that is said to be `count` bytes long.
    init(_ bytes: [UInt8], count: Int? = nil) {
        self.count = UInt64(count ?? bytes.count)
        source = .memory(bytes)
    }

    /// The file behind a descriptor, which stays the caller's.
    init(descriptor: Int32, count: UInt64) {
        self.count = count
        source = .descriptor(descriptor)
    }

    /// `length` bytes from `offset`, or `nil` when the file ends before them.
    func bytes(at offset: UInt64, count length: Int) -> ByteRun? {
        guard length >= 0, let end = offset.adding(UInt64(length)), end <= count else { return nil }
        switch source {
        case .memory(let bytes):
            guard end <= bytes.count else { return nil }
            return ByteRun(bytes: Array(bytes[Int(offset)..<Int(end)]))
        case .descriptor(let descriptor):
            guard let start = off_t(exactly: offset) else { return nil }
            var got = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: length) { buffer, initialized in
                while got < length {
                    let rest = UnsafeMutableRawBufferPointer(buffer)[got...]
                    let more = pread(
                        descriptor, UnsafeMutableRawBufferPointer(rebasing: rest).baseAddress,
                        length - got, start + off_t(got))
                    if more > 0 {
                        got += more
                    } else if more == 0 || errno != EINTR {
                        break
                    }
                }
                initialized = got
            }
            return got == length ? ByteRun(bytes: bytes) : nil
        }
    }
}

/// A run of bytes from which little-endian numbers are read.
struct ByteRun {
    let bytes: [UInt8]

    /// The number at `offset`, or `nil` when it does not fit into the run.
    func number<Number: FixedWidthInteger>(_: Number.Type, at offset: Int) -> Number? {
        let size = MemoryLayout<Number>.size
        guard offset >= 0, offset <= bytes.count - size else { return nil }
        return bytes.withUnsafeBytes {
            Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self))
        }
    }

    /// The characters at `offset` up to a NUL, or `nil` when there is none within `limit` bytes or
    /// when they are not UTF-8.
    func string(at offset: Int, limit: Int) -> String? {
        guard offset >= 0, limit >= 0, offset <= bytes.count - limit else { return nil }
        let field = bytes[offset..<offset + limit]
        guard let end = field.firstIndex(of: 0) else { return nil }
        return String(validating: field[..<end], as: UTF8.self)
    }
}

extension UInt64 {
    /// The sum, or `nil` when it does not fit: offsets in a file may be anything.
    func adding(_ other: UInt64) -> UInt64? {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? nil : sum
    }

    /// The next multiple of `alignment`, a power of two, or `nil` when it does not fit.
    func aligned(to alignment: UInt64) -> UInt64? {
        adding(alignment - 1).map { $0 & ~(alignment - 1) }
    }
}
