/// A plugin's version, for choosing between two files that hold the same plugin.
///
/// Ordered as semantic versions are: numbers by their value, a pre-release (`1.0.0-beta.2`) before
/// its release, build metadata (`+17`) ignored. A version of any other shape is ordered part by
/// part too, a part that is no number after one that is.
struct PluginVersion: Comparable, Sendable {
    private enum Part: Comparable {
        case number(UInt64)
        case text(String)

        init(_ text: Substring) {
            self = UInt64(text).map(Part.number) ?? .text(String(text))
        }
    }

    private let release: [Part]
    private let preRelease: [Part]

    init(_ text: String) {
        let significant = text.prefix { $0 != "+" }
        let halves = significant.split(
            separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        release = Self.parts(halves.first ?? "")
        preRelease = halves.count > 1 ? Self.parts(halves[1]) : []
    }

    private static func parts(_ text: Substring) -> [Part] {
        text.split(separator: ".").map(Part.init)
    }

    static func == (one: Self, other: Self) -> Bool { !(one < other) && !(other < one) }

    static func < (one: Self, other: Self) -> Bool {
        // 1.2 and 1.2.0 are the same release.
        let length = max(one.release.count, other.release.count)
        for index in 0..<length {
            let left = index < one.release.count ? one.release[index] : .number(0)
            let right = index < other.release.count ? other.release[index] : .number(0)
            if left != right { return left < right }
        }
        switch (one.preRelease.isEmpty, other.preRelease.isEmpty) {
        case (true, _): return false
        case (false, true): return true
        case (false, false): return one.preRelease.lexicographicallyPrecedes(other.preRelease)
        }
    }
}
