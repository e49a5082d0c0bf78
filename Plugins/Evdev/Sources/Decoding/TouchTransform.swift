/// From a screen's own axes to the surface as a user sees it.
package struct TouchTransform: Sendable {
    /// The first two rows of a matrix over (x, y, 1), both from 0 to 1 and y down.
    package struct Matrix: Hashable, Sendable {
        package var xx: Double
        package var xy: Double
        package var x1: Double
        package var yx: Double
        package var yy: Double
        package var y1: Double

        /// Makes a matrix, row by row.
        package init(
            _ xx: Double, _ xy: Double, _ x1: Double, _ yx: Double, _ yy: Double, _ y1: Double
        ) {
            (self.xx, self.xy, self.x1) = (xx, xy, x1)
            (self.yx, self.yy, self.y1) = (yx, yy, y1)
        }

        /// Leaves all as it is.
        package static let identity = Matrix(1, 0, 0, 0, 1, 0)

        /// Reads six numbers, as in udev's property LIBINPUT_CALIBRATION_MATRIX.
        ///
        /// Nil for what is no six numbers, or would press the surface flat.
        package init?(_ text: String) {
            let numbers = text.split(whereSeparator: { $0 == " " || $0 == "," || $0 == "\t" })
                .map { Double($0) }
            guard numbers.count == 6 else { return nil }
            let values = numbers.compactMap { $0 }
            guard values.count == 6, values.allSatisfy({ abs($0) <= 1e6 }) else { return nil }
            self.init(values[0], values[1], values[2], values[3], values[4], values[5])
            if !(abs(determinant) > 1e-9) { return nil }
        }

        /// The matrix of a panel that is mounted turned, in degrees clockwise; nil but for quarters.
        package init?(rotation: Int) {
            switch rotation {
            case 0: self = .identity
            case 90: self.init(0, -1, 1, 1, 0, 0)
            case 180: self.init(-1, 0, 1, 0, -1, 1)
            case 270: self.init(0, 1, 0, -1, 0, 1)
            default: return nil
            }
        }

        /// What is left of an area of 1.
        package var determinant: Double { xx * yy - xy * yx }

        /// This one, and then `next`.
        package func then(_ next: Matrix) -> Matrix {
            Matrix(
                next.xx * xx + next.xy * yx, next.xx * xy + next.xy * yy,
                next.xx * x1 + next.xy * y1 + next.x1,
                next.yx * xx + next.yy * yx, next.yx * xy + next.yy * yy,
                next.yx * x1 + next.yy * y1 + next.y1)
        }
    }

    private let minimumX: Double
    private let minimumY: Double
    private let spanX: Double
    private let spanY: Double
    private let matrix: Matrix
    private let isPlain: Bool
    /// The length of the seen surface's sides in millimetres; nil where the screen has no size.
    package let size: (width: Double, height: Double)?

    /// Makes a transform.
    ///
    /// The ranges must not be empty, and the matrix must not press the surface flat.
    package init(_ layout: TouchLayout, _ matrix: Matrix = .identity) {
        minimumX = Double(layout.x.minimum)
        minimumY = Double(layout.y.minimum)
        spanX = layout.x.span
        spanY = layout.y.span
        self.matrix = matrix
        isPlain = matrix == .identity
        guard let across = layout.x.millimetres, let down = layout.y.millimetres else {
            size = nil
            return
        }
        // What one side of the seen surface is on the panel: the matrix, undone.
        let area = matrix.determinant
        func length(_ x: Double, _ y: Double) -> Double {
            let (a, b) = (x / area * across, y / area * down)
            return (a * a + b * b).squareRoot()
        }
        size = (length(matrix.yy, matrix.yx), length(matrix.xy, matrix.xx))
    }

    /// A place on the surface.
    package struct Place: Hashable, Sendable {
        package var x: Double
        package var y: Double
        /// Whether it was beyond an edge, and is on the edge now.
        package var isCut: Bool

        /// Makes a place.
        package init(x: Double, y: Double, isCut: Bool) {
            self.x = x
            self.y = y
            self.isCut = isCut
        }
    }

    /// Where a pair of values is: from 0 to 1, the ends of the axes' ranges included.
    @inline(__always)
    package func place(_ rawX: Int32, _ rawY: Int32) -> Place {
        var x = (Double(rawX) - minimumX) / spanX
        var y = (Double(rawY) - minimumY) / spanY
        if !isPlain {
            (x, y) = (
                matrix.xx * x + matrix.xy * y + matrix.x1, matrix.yx * x + matrix.yy * y + matrix.y1
            )
        }
        let (inX, inY) = (min(max(x, 0), 1), min(max(y, 0), 1))
        return Place(x: inX, y: inY, isCut: inX != x || inY != y)
    }
}
