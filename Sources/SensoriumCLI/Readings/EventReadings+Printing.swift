import Sensorium

extension CameraFrame: PrintableReading {
    func writeValues(to json: inout JSONWriter) {
        json.member("width", width)
        json.member("height", height)
        json.member("format", format.description)
        json.member("sequence", sequence)
        json.member("bytes", storage.bytes.count)
    }

    var fields: [ReadingField] {
        [ReadingField("size", Double(storage.bytes.count) / 1024, 0, "KiB")]
    }

    var notes: [String] { ["\(width)x\(height)", format.description.printable] }
}

extension TouchEvent: PrintableReading {
    func writeValues(to json: inout JSONWriter) {
        json.member("phase", "\(phase)")
        json.member("touch", touch)
        json.member("x", x)
        json.member("y", y)
        json.member("xMillimetres", xMillimetres)
        json.member("yMillimetres", yMillimetres)
        json.member("pressure", pressure)
        json.member("tool", "\(tool)")
        json.member("endsFrame", endsFrame)
    }

    var fields: [ReadingField] {
        [
            ReadingField("touch", Double(touch), 0), ReadingField("x", x, 4),
            ReadingField("y", y, 4), ReadingField("pressure", pressure, 2),
        ].compactMap { $0 }
    }

    var notes: [String] { ["\(phase)", "\(tool)"] }
}

extension KeyEvent: PrintableReading {
    func writeValues(to json: inout JSONWriter) {
        json.member("code", code)
        json.member("phase", "\(phase)")
    }

    var fields: [ReadingField] { [ReadingField("code", Double(code), 0)] }

    var notes: [String] { ["\(phase)"] }
}
