import Glibc

/// How much of a long search for faults a test does: as much as one waits for in every run, or all.
///
/// `make fuzz` does all, with `SENSORIUM_CAMPAIGN=long`. Both do the same in every run.
package enum Campaign {
    /// Whether all is to be done.
    package static let isLong = getenv("SENSORIUM_CAMPAIGN").map { String(cString: $0) } == "long"

    /// Whether the tests are built with a sanitizer, under which all is many times slower.
    package static let isSanitized = ["__asan_init", "__tsan_init"].contains { (name: String) in
        dlsym(nil, name) != nil
    }

    /// How often to try something random.
    package static func rounds(_ usual: Int, long: Int) -> Int { isLong ? long : usual }

    /// Where in a file to try something: everywhere, or at every `step`th place, and around `borders`.
    package static func places(
        _ range: Range<Int>, each step: Int, borders: [Int] = []
    ) -> [Int] {
        if isLong { return Array(range) }
        let near = borders.flatMap { [$0 - 1, $0, $0 + 1] }.filter(range.contains)
        return Set(near + stride(from: range.lowerBound, to: range.upperBound, by: step)).sorted()
    }
}
