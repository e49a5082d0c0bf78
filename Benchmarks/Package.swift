// swift-tools-version: 6.3
import PackageDescription

/// The name under which the compiler knows the package above: that of its folder.
let sensorium = String(
    (Context.packageDirectory.split(separator: "/").dropLast().last ?? "sensorium")
        .lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })

// A package of its own, so that the rivals' libraries are no dependency of Sensorium.
let package = Package(
    name: "sensorium-benchmarks",
    dependencies: [.package(name: "sensorium", path: "..")],
    targets: [
        .systemLibrary(
            name: "CGPS", path: "Sources/CGPS", pkgConfig: "libgps",
            providers: [.apt(["libgps-dev"])]),
        .systemLibrary(
            name: "CLibiio", path: "Sources/CLibiio", pkgConfig: "libiio",
            providers: [.apt(["libiio-dev"])]),
        .systemLibrary(
            name: "CRivalTurboJPEG", path: "Sources/CRivalTurboJPEG", pkgConfig: "libturbojpeg",
            providers: [.apt(["libturbojpeg0-dev"])]),
        .executableTarget(
            name: "Bench",
            dependencies: [
                "CGPS",
                "CLibiio",
                "CRivalTurboJPEG",
                .product(name: "EvdevPlugin", package: "sensorium"),
                .product(name: "GPSDPlugin", package: "sensorium"),
                .product(name: "IIOPlugin", package: "sensorium"),
                .product(name: "NMEAPlugin", package: "sensorium"),
                .product(name: "Sensorium", package: "sensorium"),
                .product(name: "SensoriumImages", package: "sensorium"),
                .product(name: "SensoriumPluginKit", package: "sensorium"),
                .product(name: "SensoriumRecording", package: "sensorium"),
                .product(name: "SensoriumServices", package: "sensorium"),
                .product(name: "SensoriumTestKit", package: "sensorium"),
                .product(name: "SimulatedPlugin", package: "sensorium"),
            ],
            // Its package name is set below instead.
            packageAccess: false,
            swiftSettings: [
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
                .enableUpcomingFeature("ExistentialAny"),
                // The decoders' seams have package access; the benchmarks look below the sensors.
                .unsafeFlags(["-package-name", sensorium]),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
