import Sensorium

/// Puts the planes of a Y4M frame in the order that cameras use.
struct Y4MFrameReader: Sendable {
    private let header: Y4MHeader

    init(_ header: Y4MHeader) { self.header = header }

    /// The frame of `bytes`, as many as `header.frameLength`.
    func frame(_ bytes: UnsafeRawBufferPointer) -> RawFrame? {
        let isFull = header.range == .full
        switch header.sampling {
        case .mono:
            return raw(.grey, Array(bytes), stride: header.width)
        case .two420:
            return isFull ? rgb(nv12(bytes)) : nv12(bytes)
        case .two422:
            return isFull ? rgb(yuyv(bytes)) : yuyv(bytes)
        case .one444:
            return rgb444(bytes, ColorEncoding(.bt601, isFull ? .full : .limited))
        }
    }

    private func raw(_ format: PixelFormat, _ bytes: [UInt8], stride: Int) -> RawFrame {
        RawFrame(
            width: header.width, height: header.height, format: format,
            planes: [CameraFrame.Plane(offset: 0, stride: stride, length: bytes.count)],
            bytes: bytes)
    }

    private func nv12(_ source: UnsafeRawBufferPointer) -> RawFrame {
        let (width, height) = (header.width, header.height)
        let color = header.colorSize
        let stride = color.width * 2
        var bytes = [UInt8](repeating: 0, count: stride * (height + color.height))
        let (u, v) = (width * height, width * height + color.width * color.height)
        bytes.withUnsafeMutableBufferPointer { target in
            for row in 0..<height {
                for column in 0..<width {
                    target[row * stride + column] = source[row * width + column]
                }
            }
            for row in 0..<color.height {
                let place = (height + row) * stride
                for column in 0..<color.width {
                    target[place + 2 * column] = source[u + row * color.width + column]
                    target[place + 2 * column + 1] = source[v + row * color.width + column]
                }
            }
        }
        var frame = raw(.nv12, bytes, stride: stride)
        frame.planes = [
            CameraFrame.Plane(offset: 0, stride: stride, length: stride * height),
            CameraFrame.Plane(
                offset: stride * height, stride: stride, length: stride * color.height),
        ]
        return frame
    }

    private func yuyv(_ source: UnsafeRawBufferPointer) -> RawFrame {
        let (width, height) = (header.width, header.height)
        let pairs = header.colorSize.width
        let stride = pairs * 4
        var bytes = [UInt8](repeating: 0, count: stride * height)
        let (u, v) = (width * height, width * height + pairs * height)
        bytes.withUnsafeMutableBufferPointer { target in
            for row in 0..<height {
                for pair in 0..<pairs {
                    let place = row * stride + pair * 4
                    let light = row * width + pair * 2
                    target[place] = source[light]
                    target[place + 1] = source[u + row * pairs + pair]
                    let isPair = pair * 2 + 1 < width
                    target[place + 2] = source[isPair ? light + 1 : light]
                    target[place + 3] = source[v + row * pairs + pair]
                }
            }
        }
        return raw(.yuyv, bytes, stride: stride)
    }

    private func rgb444(_ source: UnsafeRawBufferPointer, _ color: ColorEncoding) -> RawFrame {
        let count = header.width * header.height
        let factors = ColorFactors(color)
        var bytes = [UInt8](repeating: 0, count: count * 3)
        bytes.withUnsafeMutableBufferPointer { target in
            guard let base = target.baseAddress else { return }
            for index in 0..<count {
                let chroma = factors.chroma(source[count + index], source[2 * count + index])
                factors.write(source[index], chroma, to: base + 3 * index)
            }
        }
        return raw(.rgb24, bytes, stride: header.width * 3)
    }

    /// The frame in RGB24, its colours having full range.
    private func rgb(_ frame: RawFrame) -> RawFrame? {
        let lent = frame.frame(at: ReadingTime(SensorInstant(nanoseconds: 0), uncertainty: .zero))
        return (try? Picture(lent, color: .jpeg)).map { RawFrame($0) }
    }
}
