// swift-tools-version: 6.3
import PackageDescription

// A package of its own, so that the rivals' libraries are no dependency of Sensorium.
let package = Package(
    name: "sensorium-benchmarks",
    dependencies: [.package(name: "sensorium", path: "..")],
    targets: [
        .systemLibrary(
            name: "CGPS", path: "Sources/CGPS", pkgConfig: "libgps",
            providers: [.apt(["libgps-dev"])]),
        .executableTarget(
            name: "Bench",
            dependencies: [
                "CGPS",
                .product(name: "GPSDPlugin", package: "sensorium"),
                .product(name: "Sensorium", package: "sensorium"),
                .product(name: "SensoriumPluginKit", package: "sensorium"),
                .product(name: "SensoriumTestKit", package: "sensorium"),
                .product(name: "SimulatedPlugin", package: "sensorium"),
            ],
            swiftSettings: [
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
                .enableUpcomingFeature("ExistentialAny"),
                // The decoders' seams have package access; the benchmarks look below the sensors.
                .unsafeFlags(["-package-name", "sensorium"]),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
