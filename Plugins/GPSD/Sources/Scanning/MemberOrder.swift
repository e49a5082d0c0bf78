/// The members that a class of reports had last time, in their order: nearly always the next report has
/// the same ones.
///
/// A member that comes where it came before is told by sixteen bytes, `,"altHAE":` and what follows,
/// which is a tenth of the work of reading its name.
struct MemberOrder {
    /// The text of a member up to its value, and what it means to the caller.
    struct Member {
        /// The text, lowest byte first; it matches no line where it is longer than sixteen bytes.
        fileprivate var low: UInt64 = .max
        fileprivate var high: UInt64 = .max
        fileprivate var lowMask: UInt64 = 0
        fileprivate var highMask: UInt64 = 0
        /// How many bytes it has.
        fileprivate(set) var length = 0
        /// The caller's number of it.
        fileprivate(set) var number = 0

        /// Whether the sixteen bytes at `place` begin with the text.
        @inline(__always)
        func begins(_ place: UnsafePointer<UInt8>) -> Bool {
            let bytes = UnsafeRawPointer(place)
            let low = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
            let high = UInt64(
                littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            return ((low & lowMask) ^ self.low) | ((high & highMask) ^ self.high) == 0
        }
    }

    private var members: [Member] = []

    /// More members than this are of no report of gpsd's.
    private static var limit: Int { 64 }

    /// The member that came in that place; nil where none is known.
    @inline(__always)
    subscript(place: Int) -> Member? { place < members.count ? members[place] : nil }

    /// Remembers the text of a member in its place, and the caller's number of it.
    @inline(never)
    mutating func remember(_ text: UnsafeBufferPointer<UInt8>, _ number: Int, in place: Int) {
        guard place < Self.limit else { return }
        var member = Member()
        if text.count <= 16 {
            (member.low, member.high) = (0, 0)
            for (position, byte) in text.enumerated() {
                let shift = UInt64(position % 8 * 8)
                if position < 8 {
                    member.low |= UInt64(byte) << shift
                    member.lowMask |= 0xff << shift
                } else {
                    member.high |= UInt64(byte) << shift
                    member.highMask |= 0xff << shift
                }
            }
            (member.length, member.number) = (text.count, number)
        }
        while members.count <= place { members.append(Member()) }
        members[place] = member
    }
}
