/// Where each element of a scan lies.
///
/// The kernel puts the enabled elements one after the other in the order of their scan indices,
/// aligns each to its own size and the whole to the largest (`iio_compute_scan_bytes` in
/// drivers/iio/industrialio-buffer.c). libiio 0.24 leaves the last step out, so that its step is wrong
/// for elements of mixed width without a timestamp; this layout is the one that is trusted.
package struct ScanLayout: Hashable, Sendable {
    /// One enabled channel of a device.
    package struct Element: Hashable, Sendable {
        /// The channel's scan index; the indices of a device may have holes.
        package var index: Int
        /// How the element is stored.
        package var type: ScanType
        /// The first byte of the element in the scan.
        package var offset: Int
    }

    /// The elements in the order of their indices.
    package private(set) var elements: [Element]
    /// How many bytes a scan takes, padding included; 0 if there is no element.
    package private(set) var size: Int

    /// Lays out the given channels, in any order; channels of one index share their bytes.
    package init(_ channels: some Sequence<(index: Int, type: ScanType)>) {
        elements = []
        var end = 0
        var largest = 1
        for (index, type) in channels.sorted(by: { $0.index < $1.index }) {
            let length = type.elementBytes
            if let last = elements.last, last.index == index {
                elements.append(Element(index: index, type: type, offset: last.offset))
                // A device that contradicts itself must not make anybody read past the scan.
                end = max(end, last.offset + length)
                continue
            }
            let offset = Self.align(end, to: length)
            elements.append(Element(index: index, type: type, offset: offset))
            end = offset + length
            largest = max(largest, length)
        }
        size = Self.align(end, to: largest)
    }

    /// Where the element of that scan index begins, or nil if it is not enabled.
    package func offset(ofIndex index: Int) -> Int? {
        elements.first { $0.index == index }?.offset
    }

    private static func align(_ position: Int, to length: Int) -> Int {
        (position + length - 1) / length * length
    }
}

extension ScanLayout {
    /// The layout of more channels than were asked for, in which the asked ones begin where the
    /// library says and a scan is as long as it says; nil where there is none.
    ///
    /// - Parameters:
    ///   - step: how far apart the library believes the scans to be.
    ///   - offsets: where it believes the asked channels to begin.
    ///   - asked: the channels that were asked for, in the order of `offsets`.
    ///   - all: every channel of the device that can be in a scan.
    package static func seen(
        step: Int, offsets: [Int?], of asked: [(index: Int, type: ScanType)],
        among all: [(index: Int, type: ScanType)]
    ) -> ScanLayout? {
        let indices = Set(asked.map(\.index))
        let others = all.filter { !indices.contains($0.index) }
        // Each of the others may be there or not.
        guard others.count <= 12 else { return nil }
        for choice in 0..<(1 << others.count) {
            let more = others.indices.filter { choice >> $0 & 1 == 1 }.map { others[$0] }
            let layout = ScanLayout(asked + more)
            guard layout.size == step else { continue }
            if zip(asked, offsets).allSatisfy({ layout.offset(ofIndex: $0.index) == $1 }) {
                return layout
            }
        }
        return nil
    }
}
