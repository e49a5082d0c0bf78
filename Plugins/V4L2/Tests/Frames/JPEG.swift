import Glibc

/// JPEG pictures of a few bytes, as far as markers go.
enum JPEG {
    /// SOI, APP0 with four bytes, a table, a frame header, a scan with stuffed bytes and a restart, EOI.
    static let whole: [UInt8] =
        [0xff, 0xd8, 0xff, 0xe0, 0, 6, 1, 2, 3, 4]
        + [0xff, 0xdb, 0, 5, 9, 9, 9]
        + [0xff, 0xc0, 0, 4, 7, 7]
        + [0xff, 0xda, 0, 4, 1, 1, 0x12, 0xff, 0x00, 0x34, 0xff, 0xd0, 0x56]
        + [0xff, 0xd9]

    /// The bytes of a case's file; nil where the cases are not here.
    static func file(_ name: String) -> [UInt8]? {
        let root = getenv("SENSORIUM_SHARED").map { String(cString: $0) } ?? "../shared"
        guard let file = fopen("\(root)/cases/files/\(name)", "r") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = fread(&bytes, 1, bytes.count, file)
        return Array(bytes[..<count])
    }
}
