import Glibc

/// The parts of an ELF file that decide whether the dynamic linker may be let loose on it.
///
/// The dynamic linker of glibc trusts what it maps: a file whose segments reach past its end raises
/// SIGBUS inside `dlopen`. So the program headers are checked here first, from bytes that are only
/// read, by rules of the System V ABI (gABI, chapter 5) and nothing is believed.
struct ELFImage {
    /// One program header.
    struct Segment {
        var type: UInt32
        var offset: UInt64
        var address: UInt64
        var fileSize: UInt64
        var memorySize: UInt64
        var alignment: UInt64
    }

    /// Every program header, in the file's order.
    let segments: [Segment]

    private static let headerSize = 64
    private static let segmentSize = 56
    /// Far more than any linker writes; a file that claims more is damaged.
    private static let segmentLimit: UInt16 = 256

    /// Reads and checks the headers of a 64-bit shared library for this machine.
    init(_ file: FileBytes) throws(LoadRefusal) {
        guard file.count > 0 else {
            throw LoadRefusal("is empty", hint: "copy or build the plugin again")
        }
        let magic = file.bytes(at: 0, count: 4)?.bytes
        guard magic == [0x7f, 0x45, 0x4c, 0x46] else {
            throw LoadRefusal("is not an ELF file", hint: "only shared libraries belong here")
        }
        guard let header = file.bytes(at: 0, count: Self.headerSize) else {
            throw .truncated("its ELF header is cut off at \(file.count) bytes")
        }
        try Self.checkIdentity(header)

        let entrySize = header.number(UInt16.self, at: 54) ?? 0
        let entries = header.number(UInt16.self, at: 56) ?? 0
        guard entrySize == Self.segmentSize, entries > 0, entries <= Self.segmentLimit else {
            throw .damaged("it declares \(entries) program headers of \(entrySize) bytes")
        }
        guard
            let table = file.bytes(
                at: header.number(UInt64.self, at: 32) ?? .max,
                count: Int(entries) * Self.segmentSize)
        else {
            throw .truncated("its program headers lie past its end at \(file.count) bytes")
        }
        segments = try Self.readSegments(table, count: Int(entries))
        try checkSegments(fileSize: file.count)
    }

    private static func checkIdentity(_ header: ByteRun) throws(LoadRefusal) {
        let class64: UInt8 = 2
        let littleEndian: UInt8 = 1
        guard header.bytes[4] == class64, header.bytes[5] == littleEndian else {
            throw LoadRefusal(
                "is not a 64-bit little-endian ELF file",
                hint: "build the plugin for \(ELFMachine.native)")
        }
        let type = header.number(UInt16.self, at: 16) ?? 0
        guard type == UInt16(ET_DYN) else {
            throw LoadRefusal("is an ELF file, but no shared library (its type is \(type))")
        }
        let machine = ELFMachine(code: header.number(UInt16.self, at: 18) ?? 0)
        guard machine == .native else {
            throw LoadRefusal(
                "was built for \(machine), and this machine is \(ELFMachine.native)",
                hint: "build the plugin for \(ELFMachine.native)")
        }
        guard header.bytes[6] == 1, header.number(UInt32.self, at: 20) == 1 else {
            throw .damaged("its ELF version is not 1")
        }
    }

    private static func readSegments(
        _ table: ByteRun, count: Int
    ) throws(LoadRefusal) -> [Segment] {
        var segments: [Segment] = []
        segments.reserveCapacity(count)
        for start in stride(from: 0, to: count * segmentSize, by: segmentSize) {
            guard
                let type = table.number(UInt32.self, at: start),
                let offset = table.number(UInt64.self, at: start + 8),
                let address = table.number(UInt64.self, at: start + 16),
                let fileSize = table.number(UInt64.self, at: start + 32),
                let memorySize = table.number(UInt64.self, at: start + 40),
                let alignment = table.number(UInt64.self, at: start + 48)
            else { throw .truncated("its program headers are cut off") }
            segments.append(
                Segment(
                    type: type, offset: offset, address: address, fileSize: fileSize,
                    memorySize: memorySize, alignment: alignment))
        }
        return segments
    }

    private func checkSegments(fileSize: UInt64) throws(LoadRefusal) {
        var loaded: UInt64 = 0
        for segment in segments where segment.fileSize > 0 {
            guard let end = segment.offset.adding(segment.fileSize), end <= fileSize else {
                throw .truncated(
                    "a segment at \(segment.offset) is \(segment.fileSize) bytes long, "
                        + "and the file ends at \(fileSize)")
            }
        }
        for segment in segments where segment.type == UInt32(PT_LOAD) {
            guard
                segment.memorySize >= segment.fileSize,
                let end = segment.address.adding(segment.memorySize)
            else { throw .damaged("a segment is larger in the file than in memory") }
            // The linker reserves memory from the first to the last: out of order, it writes outside.
            guard segment.address >= loaded else {
                throw .damaged("its segments overlap or are out of order")
            }
            loaded = end
        }
        guard
            let dynamic = segments.first(where: { $0.type == UInt32(PT_DYNAMIC) }),
            segments.contains(where: { $0.holds(dynamic) })
        else { throw .damaged("it has no dynamic section inside a loaded segment") }
    }
}

extension ELFImage.Segment {
    /// Whether another segment's bytes are mapped by this one.
    fileprivate func holds(_ other: Self) -> Bool {
        guard
            type == UInt32(PT_LOAD), other.address >= address,
            let end = address.adding(fileSize), let otherEnd = other.address.adding(other.fileSize)
        else { return false }
        return otherEnd <= end
    }
}

extension LoadRefusal {
    static func truncated(_ detail: String) -> LoadRefusal {
        LoadRefusal(
            "is truncated: \(detail)", hint: "copy it again, into a temporary name, and rename it")
    }

    static func damaged(_ detail: String) -> LoadRefusal {
        LoadRefusal("is damaged: \(detail)", hint: "copy or build the plugin again")
    }
}

/// An instruction set, as ELF numbers it.
struct ELFMachine: Hashable, CustomStringConvertible {
    let code: UInt16

    /// What this process runs on.
    static let native: ELFMachine = {
        #if arch(x86_64)
        return ELFMachine(code: 62)
        #elseif arch(arm64)
        return ELFMachine(code: 183)
        #elseif arch(riscv64)
        return ELFMachine(code: 243)
        #elseif arch(powerpc64le)
        return ELFMachine(code: 21)
        #else
        #error("add the ELF machine number of this architecture")
        #endif
    }()

    var description: String {
        switch code {
        case 3: "i386"
        case 21: "PowerPC 64"
        case 22: "S/390"
        case 40: "ARM"
        case 62: "x86-64"
        case 183: "AArch64"
        case 243: "RISC-V"
        default: "ELF machine \(code)"
        }
    }
}
