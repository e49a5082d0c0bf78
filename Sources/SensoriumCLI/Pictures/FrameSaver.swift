import Sensorium
import SensoriumImages
import SensoriumRecording

/// Saves frames of one camera: as a picture, or as a film.
///
/// A picture is the last frame that came; where only one is wanted, the first that can be saved. What
/// cannot be saved is left out, and told of at the end.
actor FrameSaver {
    private let file: PictureFile
    private let place: OutputPlace
    /// Whether the first good frame is all that is wanted.
    private let takesOne: Bool

    /// The last frame, to be encoded at the end.
    private var last: CameraFrame?
    private var picture: [UInt8]?
    private var film: Y4MEncoder?
    private var output: OutputFile?
    private var size: (width: Int, height: Int)?
    private var savedCount = 0
    private var leftOutCount = 0
    /// Why the first of them was left out.
    private var reason: ImageError?
    /// Why the file cannot be written.
    private var failure: CommandFailure?

    /// - Throws: `CommandFailure` where the file is there and is not to be replaced, or this build
    ///   cannot write such a file.
    init(_ file: PictureFile, replaces: Bool, takesOne: Bool) throws(CommandFailure) {
        try file.check()
        self.file = file
        self.takesOne = takesOne
        place = try OutputPlace(file.path, replaces: replaces)
    }

    /// Takes a frame.
    ///
    /// - Parameter rate: frames a second, as far as it is known.
    /// - Returns: whether the frame counts, which it does not where it cannot be saved; nil where the
    ///   file cannot be written, for which `finish()` says why.
    func take(_ frame: CameraFrame, rate: Double?) -> Bool? {
        let bytes: [UInt8]
        do throws(ImageError) {
            bytes = try prepare(frame, rate)
        } catch {
            leftOutCount += 1
            reason = reason ?? error
            return false
        }
        do throws(CommandFailure) {
            try write(bytes)
        } catch {
            failure = error
            return nil
        }
        savedCount += 1
        size = (frame.width, frame.height)
        return true
    }

    /// Writes what is left to write, and puts the file in its place.
    ///
    /// - Returns: what to tell, line by line.
    /// - Throws: `CommandFailure` where there is nothing to save, or it cannot be written.
    func finish() throws(CommandFailure) -> [String] {
        do throws(CommandFailure) {
            if let failure { throw failure }
            try encodeLast()
            if let picture { try write(picture) }
            guard let output else {
                let why = reason.map { ": \($0.reason)" } ?? ""
                throw CommandFailure(
                    .unavailable,
                    "\(file.path.printable) was not written, since no frame came that could be "
                        + "saved\(why)", hint: reason?.hint ?? "")
            }
            try naming { () throws(RecordingError) in try output.finish() }
        } catch {
            output = nil
            place.discard()
            throw error
        }
        try place.settle()
        return report
    }

    // MARK: Inside

    /// The bytes to write at once; none for a picture, which is written at the end.
    private func prepare(_ frame: CameraFrame, _ rate: Double?) throws(ImageError) -> [UInt8] {
        if file.format.isPicture {
            if takesOne { picture = try encoded(frame) } else { last = frame }
            return []
        }
        if let bytes = try film?.encode(frame) { return bytes }
        var encoder = try Y4MEncoder(
            like: frame, rate: rate.flatMap { Y4MHeader.FrameRate(hertz: $0) })
        let bytes = try encoder.header.line + encoder.encode(frame)
        film = consume encoder
        return bytes
    }

    private func encodeLast() throws(CommandFailure) {
        guard let last else { return }
        do throws(ImageError) {
            picture = try encoded(last)
        } catch {
            throw CommandFailure(error, file.path)
        }
    }

    private func encoded(_ frame: CameraFrame) throws(ImageError) -> [UInt8] {
        file.format == .png ? try PNG.encode(Picture(frame)) : try JPEG.encode(frame)
    }

    private func write(_ bytes: [UInt8]) throws(CommandFailure) {
        if bytes.isEmpty { return }
        try naming { () throws(RecordingError) in
            if output == nil { output = try OutputFile(place.draft) }
            try output?.write(bytes)
        }
    }

    /// Runs `body`, whose errors are of the file that the user named.
    private func naming(_ body: () throws(RecordingError) -> Void) throws(CommandFailure) {
        do throws(RecordingError) {
            try body()
        } catch {
            var failure = error
            if failure.path == place.draft { failure.path = file.path }
            throw CommandFailure(failure)
        }
    }

    private var report: [String] {
        let size = size.map { "\($0.width)x\($0.height)" } ?? ""
        let frames = savedCount == 1 ? "1 frame" : "\(savedCount) frames"
        var lines = [
            "\(file.path.printable): \(size)" + (file.format.isPicture ? "" : ", \(frames)")
        ]
        if leftOutCount > 0, let reason {
            let count = leftOutCount == 1 ? "1 frame" : "\(leftOutCount) frames"
            lines.append("left out: \(count): \(reason.reason)")
        }
        return lines
    }
}
