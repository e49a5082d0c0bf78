/// How a sensor's chip sits in the machine: device frame = matrix × chip frame.
///
/// Written as three rows, `1, 0, 0; 0, 1, 0; 0, 0, 1`. Source: the kernel's
/// Documentation/devicetree/bindings/iio/mount-matrix.txt.
package struct MountMatrix: Hashable, Sendable {
    /// Nine numbers, row by row.
    package let rows: [Double]

    /// The chip sits as the machine does.
    package static let identity = MountMatrix(trusted: [1, 0, 0, 0, 1, 0, 0, 0, 1])

    private init(trusted rows: [Double]) { self.rows = rows }

    /// Why a text is not a mount matrix, as a clause.
    package struct Rejection: Error, Hashable, Sendable {
        /// What is wrong with it.
        package var reason: String
    }

    /// Reads and checks a matrix.
    ///
    /// A reflection is accepted: most matrices in systemd's hwdb are reflections.
    package init(_ text: some StringProtocol) throws(Rejection) {
        let lines = AttributeText.trimmed(text).split(
            separator: ";", omittingEmptySubsequences: false)
        guard lines.count == 3 else { throw Rejection(reason: "it has \(lines.count) rows, not 3") }
        var rows: [Double] = []
        for line in lines {
            let words = line.split(separator: ",", omittingEmptySubsequences: false)
            guard words.count == 3 else {
                throw Rejection(reason: "a row has \(words.count) numbers, not 3")
            }
            for word in words {
                guard let number = AttributeText.number(word) else {
                    throw Rejection(reason: "'\(AttributeText.trimmed(word))' is not a number")
                }
                rows.append(number)
            }
        }
        let longest = [0, 3, 6].map {
            rows[$0...($0 + 2)].map { $0 * $0 }.reduce(0, +).squareRoot()
        }
        .reduce(1, *)
        guard longest > 0 else { throw Rejection(reason: "a row is all zero") }
        guard abs(Self.determinant(rows)) > 0.01 * longest else {
            throw Rejection(reason: "it is singular: two axes would show the same")
        }
        self.rows = rows
    }

    private static func determinant(_ m: [Double]) -> Double {
        m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6])
            + m[2] * (m[3] * m[7] - m[4] * m[6])
    }

    /// The vector in the device frame.
    package func apply(_ x: Double, _ y: Double, _ z: Double) -> (x: Double, y: Double, z: Double) {
        (
            rows[0] * x + rows[1] * y + rows[2] * z,
            rows[3] * x + rows[4] * y + rows[5] * z,
            rows[6] * x + rows[7] * y + rows[8] * z
        )
    }
}
