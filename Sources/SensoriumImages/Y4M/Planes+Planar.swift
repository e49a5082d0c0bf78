/// The planes of a frame, one after another without padding, as Y4M wants them.
extension Planes {
    func appendGrey(to bytes: inout [UInt8]) throws(ImageError) {
        let rows = try rows(0, height, width)
        for row in 0..<height {
            bytes.append(contentsOf: UnsafeBufferPointer(start: rows[row], count: width))
        }
    }

    func appendPlanarNV12(to bytes: inout [UInt8]) throws(ImageError) {
        let (light, color) = try rowsOfNV12()
        for row in 0..<height {
            bytes.append(contentsOf: UnsafeBufferPointer(start: light[row], count: width))
        }
        for place in 0...1 {
            for row in 0..<((height + 1) / 2) {
                let source = color[row]
                for pair in 0..<((width + 1) / 2) { bytes.append(source[2 * pair + place]) }
            }
        }
    }

    func appendPlanarYUYV(to bytes: inout [UInt8]) throws(ImageError) {
        let pairs = (width + 1) / 2
        let rows = try rows(0, height, pairs * 4)
        for row in 0..<height {
            let source = rows[row]
            for column in 0..<width { bytes.append(source[2 * column]) }
        }
        for place in [1, 3] {
            for row in 0..<height {
                let source = rows[row]
                for pair in 0..<pairs { bytes.append(source[4 * pair + place]) }
            }
        }
    }
}
