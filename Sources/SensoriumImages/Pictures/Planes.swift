import Sensorium

/// The planes of a frame, looked at with care: whoever made the frame may have been wrong.
struct Planes {
    let width: Int
    let height: Int
    private let format: PixelFormat
    private let planes: [CameraFrame.Plane]
    private let storage: UnsafeRawBufferPointer

    /// Takes the planes of a frame, which has to live as long.
    init(_ frame: CameraFrame) throws(ImageError) {
        (width, height) = (frame.width, frame.height)
        format = frame.format
        planes = frame.planes
        storage = frame.storage.bytes
    }

    /// All bytes of a plane.
    func bytes(_ index: Int) throws(ImageError) -> UnsafeRawBufferPointer {
        guard planes.indices.contains(index) else {
            throw ImageError(.malformed, "the frame has \(planes.count) planes")
        }
        let plane = planes[index]
        guard plane.offset >= 0, plane.length >= 0, plane.offset <= storage.count,
            plane.length <= storage.count - plane.offset
        else {
            throw ImageError(
                .malformed,
                "plane \(index) has \(plane.length) bytes from \(plane.offset) on, and the frame "
                    + "\(storage.count)")
        }
        return UnsafeRawBufferPointer(
            rebasing: storage[plane.offset..<(plane.offset + plane.length)])
    }

    /// The rows of a plane.
    struct Rows {
        let base: UnsafePointer<UInt8>
        let stride: Int

        @inline(__always)
        subscript(row: Int) -> UnsafePointer<UInt8> { base + row * stride }
    }

    /// The rows of a plane, `rowBytes` of each holding pixels.
    func rows(
        _ index: Int, _ count: Int, _ rowBytes: Int
    ) throws(ImageError) -> Rows {
        try rows(of: bytes(index), stride: planes[index].stride, count, rowBytes)
    }

    private func rows(
        of bytes: UnsafeRawBufferPointer, stride told: Int, _ count: Int, _ rowBytes: Int
    ) throws(ImageError) -> Rows {
        let stride = told == 0 ? rowBytes : told
        guard stride >= rowBytes, stride <= Int(Int32.max),
            bytes.count >= stride * (count - 1) + rowBytes,
            let base = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
        else {
            throw ImageError(
                .malformed,
                "\(bytes.count) bytes with \(told) per row are too few for \(width)x\(height) of "
                    + "\(format)")
        }
        return Rows(base: base, stride: stride)
    }

    /// The rows of the brightness, and those of the pairs of colours.
    func rowsOfNV12() throws(ImageError) -> (light: Rows, color: Rows) {
        let colorRows = (height + 1) / 2
        let colorBytes = (width + 1) / 2 * 2
        let light = try rows(0, height, width)
        if planes.count > 1 { return (light, try rows(1, colorRows, colorBytes)) }
        // One plane that holds both, the colours after all rows of the brightness.
        let all = try bytes(0)
        guard light.stride * height <= all.count else {
            throw ImageError(.malformed, "the frame has no colours")
        }
        let rest = UnsafeRawBufferPointer(rebasing: all[(light.stride * height)...])
        return (light, try rows(of: rest, stride: light.stride, colorRows, colorBytes))
    }

    // MARK: Formats

    private var pairCount: Int { width / 2 }

    func readYUYV(
        _ factors: ColorFactors, _ target: UnsafeMutablePointer<UInt8>
    ) throws(ImageError) {
        let rows = try rows(0, height, (width + 1) / 2 * 4)
        for row in 0..<height {
            var source = rows[row]
            var pixel = target + row * width * 3
            for _ in 0..<pairCount {
                let chroma = factors.chroma(source[1], source[3])
                factors.write(source[0], chroma, to: pixel)
                factors.write(source[2], chroma, to: pixel + 3)
                source += 4
                pixel += 6
            }
            if width & 1 == 1 {
                factors.write(source[0], factors.chroma(source[1], source[3]), to: pixel)
            }
        }
    }

    func readNV12(
        _ factors: ColorFactors, _ target: UnsafeMutablePointer<UInt8>
    ) throws(ImageError) {
        let (light, color) = try rowsOfNV12()
        for row in 0..<height {
            var source = light[row]
            var pair = color[row / 2]
            var pixel = target + row * width * 3
            for _ in 0..<pairCount {
                let chroma = factors.chroma(pair[0], pair[1])
                factors.write(source[0], chroma, to: pixel)
                factors.write(source[1], chroma, to: pixel + 3)
                source += 2
                pair += 2
                pixel += 6
            }
            if width & 1 == 1 {
                factors.write(source[0], factors.chroma(pair[0], pair[1]), to: pixel)
            }
        }
    }

    func readRGB24(_ target: UnsafeMutablePointer<UInt8>) throws(ImageError) {
        let rows = try rows(0, height, width * 3)
        for row in 0..<height {
            (target + row * width * 3).update(from: rows[row], count: width * 3)
        }
    }

    func readGrey(_ target: UnsafeMutablePointer<UInt8>) throws(ImageError) {
        let rows = try rows(0, height, width)
        for row in 0..<height {
            let source = rows[row]
            var pixel = target + row * width * 3
            for column in 0..<width {
                (pixel[0], pixel[1], pixel[2]) = (source[column], source[column], source[column])
                pixel += 3
            }
        }
    }
}
