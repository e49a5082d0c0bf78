import JPEGMarkers

/// What a file holds, by its first bytes.
enum PictureKind: Hashable, Sendable {
    /// A Y4M file.
    case y4m
    /// A JPEG picture; others may follow it.
    case jpeg
    /// Something with a JPEG picture in it.
    case containsJPEG
    /// A PNG picture.
    case png

    private static let y4mMark = Array("YUV4MPEG2".utf8)
    private static let pngMark: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
    private static let jpegMark: [UInt8] = [0xff, 0xd8, 0xff]

    /// Nil for anything else.
    init?(_ head: [UInt8]) {
        if head.starts(with: Self.y4mMark) {
            self = .y4m
        } else if head.starts(with: Self.pngMark) {
            self = .png
        } else if head.starts(with: Self.jpegMark) {
            self = .jpeg
        } else if head.withUnsafeBytes({ $0.firstPicture(from: 0) }) != nil {
            self = .containsJPEG
        } else {
            return nil
        }
    }
}

extension String {
    /// Whether a file of that name is one picture, by the end of the name; hidden ones are none.
    var isPictureName: Bool {
        let name = split(separator: "/").last ?? ""
        guard !name.hasPrefix("."), let dot = name.lastIndex(of: ".") else { return false }
        return ["jpg", "jpeg", "png"].contains(name[name.index(after: dot)...].lowercased())
    }

    /// Whether this comes before another name, numbers in names being compared as numbers.
    func comesBefore(_ other: String) -> Bool {
        var (left, right) = (Array(utf8)[...], Array(other.utf8)[...])
        while let a = left.first, let b = right.first {
            if a.isDigit, b.isDigit {
                let (one, two) = (Self.takeNumber(&left), Self.takeNumber(&right))
                if one.count != two.count { return one.count < two.count }
                if one != two { return one.lexicographicallyPrecedes(two) }
            } else if a != b {
                return a < b
            } else {
                left.removeFirst()
                right.removeFirst()
            }
        }
        if left.isEmpty != right.isEmpty { return left.isEmpty }
        // `1.png` and `01.png`.
        return self < other
    }

    /// Takes the digits at the front, and gives them without leading zeros.
    private static func takeNumber(_ text: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let digits = text.prefix { $0.isDigit }
        text = text.dropFirst(digits.count)
        return digits.drop { $0 == 0x30 }
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (0x30...0x39).contains(self) }
}
