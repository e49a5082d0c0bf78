import CLibiio
import Glibc
import IIOPlugin
import Sensorium

/// Scans of three axes and a timestamp to full readings, beside libiio, which only swaps, shifts and
/// extends signs.
enum IIOBenchmarks {
    private static let count = 4096
    private static let step = 16

    /// A scan is `le:s16/16>>0` three times, padding, and `le:s64/64>>0`.
    private static let scans: [UInt8] = (0..<count).flatMap { scan -> [UInt8] in
        let axes = [Int16(truncatingIfNeeded: scan), -100, 1000].flatMap {
            [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)]
        }
        let stamp = 1_000_000_000_000 + Int64(scan) * 5_000_000
        return axes + [0, 0] + (0..<8).map { UInt8(truncatingIfNeeded: stamp >> (8 * $0)) }
    }

    static func rows() -> [Row] {
        guard let axisType = ScanType("le:s16/16>>0"), let stampType = ScanType("le:s64/64>>0")
        else { return [] }
        let layout = ScanLayout([(0, axisType), (1, axisType), (2, axisType), (3, stampType)])
        precondition(layout.size == step, "the layout is wrong")
        func axis(_ index: Int) -> MotionDecoder.Axis {
            MotionDecoder.Axis(
                ElementReader(axisType, at: layout.offset(ofIndex: index) ?? 0), scale: 0.009806,
                offset: 3)
        }
        let decoder = MotionDecoder(
            x: axis(0), y: axis(1), z: axis(2),
            matrix: (try? MountMatrix("0,-1,0;-1,0,0;0,0,1")) ?? .identity)
        let stampAt = layout.offset(ofIndex: 3) ?? 0
        let stamps = UnsafeMutablePointer<Int64>.allocate(capacity: count)
        let readings = UnsafeMutablePointer<Acceleration>.allocate(capacity: count)
        defer {
            stamps.deallocate()
            readings.deallocate()
        }
        var (ours, theirs) = (Samples(), Samples())
        for _ in 0..<201 {
            ours.add(
                nanoseconds {
                    scans.withUnsafeBytes { bytes in
                        for scan in 0..<count {
                            stamps[scan] = bytes.loadUnaligned(
                                fromByteOffset: scan * step + stampAt, as: Int64.self)
                        }
                        decoder.decode(
                            bytes, step: step,
                            stamps: ScanStamps(
                                stamps: UnsafeBufferPointer(start: stamps, count: count),
                                offset: 5, domain: .boottime, isDevices: true, uncertainty: 1e-6,
                                source: .device),
                            into: readings)
                    }
                }, items: count)
            precondition(readings[7].x == 0.009806 * 97, "the values are wrong")
            if let time = convert() { theirs.add(time, items: count) }
        }
        return [
            Row(
                name: "iio.scan-to-reading", value: ours.median, unit: "ns",
                rival: theirs.median.isNaN ? nil : ("iio_channel_convert", theirs.median), goal: 12)
        ]
    }

    /// The same scans through libiio, without scale, offset, matrix or time; nil where it fails.
    private static func convert() -> Int64? {
        guard let channels else { return nil }
        let values = UnsafeMutablePointer<Int64>.allocate(capacity: channels.count * count)
        defer { values.deallocate() }
        return scans.withUnsafeBytes { bytes -> Int64? in
            guard let base = bytes.baseAddress else { return nil }
            return nanoseconds {
                for scan in 0..<count {
                    for (place, channel) in channels.enumerated() {
                        iio_channel_convert(
                            channel.pointer, values + scan * channels.count + place,
                            base + scan * step + channel.offset)
                    }
                }
            }
        }
    }

    private struct Channel {
        var pointer: OpaquePointer
        var offset: Int
    }

    /// Channels of a context that is only described; they live as long as the process.
    nonisolated(unsafe) private static let channels: [Channel]? = {
        let axes = ["x", "y", "z"].enumerated().map { place, name in
            #"<channel id="accel_\#(name)" type="input"><scan-element index="\#(place)" format="le:s16/16&gt;&gt;0" scale="0.009806"/></channel>"#
        }
        let xml =
            #"<?xml version="1.0" encoding="utf-8"?><!DOCTYPE context [<!ELEMENT context (device)*><!ELEMENT device (channel)*><!ELEMENT channel (scan-element?)><!ELEMENT scan-element EMPTY><!ATTLIST context name CDATA #REQUIRED><!ATTLIST device id CDATA #REQUIRED name CDATA #IMPLIED><!ATTLIST channel id CDATA #REQUIRED type (input|output) #REQUIRED><!ATTLIST scan-element index CDATA #REQUIRED format CDATA #REQUIRED scale CDATA #IMPLIED>]><context name="xml"><device id="iio:device0" name="bench">\#(axes.joined())<channel id="timestamp" type="input"><scan-element index="3" format="le:s64/64&gt;&gt;0"/></channel></device></context>"#
        guard let context = iio_create_xml_context_mem(xml, xml.utf8.count),
            let device = iio_context_get_device(context, 0)
        else { return nil }
        let names = [("accel_x", 0), ("accel_y", 2), ("accel_z", 4), ("timestamp", 8)]
        let found = names.compactMap { name, offset in
            iio_device_find_channel(device, name, false).map {
                Channel(pointer: $0, offset: offset)
            }
        }
        return found.count == names.count ? found : nil
    }()
}
