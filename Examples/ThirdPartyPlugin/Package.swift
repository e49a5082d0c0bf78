// swift-tools-version: 6.3
import PackageDescription

// A plugin in a package of its own. It depends on Sensorium by version, as anybody's would, and
// says that it needs none of Sensorium's plugins over a C library (`traits: []`).
let package = Package(
    name: "sensorium-thermal",
    products: [
        .library(name: "ThermalPlugin", targets: ["ThermalPlugin"]),
        .library(name: "SensoriumThermal", type: .dynamic, targets: ["ThermalPluginEntry"]),
        .library(name: "ThermalSpy", targets: ["ThermalSpy"]),
    ],
    dependencies: [
        .package(url: "https://example.org/sensorium.git", from: "0.1.0", traits: [])
    ],
    targets: [
        .target(
            name: "ThermalPlugin",
            dependencies: [
                .product(name: "Sensorium", package: "sensorium"),
                .product(name: "SensoriumPluginKit", package: "sensorium"),
            ],
            path: "Sources"),
        .target(
            name: "ThermalPluginEntry",
            dependencies: [
                "ThermalPlugin", .product(name: "SensoriumPluginKit", package: "sensorium"),
            ],
            path: "Entry"),
        .target(
            name: "ThermalSpy",
            dependencies: [
                "ThermalPlugin", .product(name: "SensoriumTestKit", package: "sensorium"),
            ],
            path: "Spy"),
        .testTarget(
            name: "ThermalPluginTests", dependencies: ["ThermalPlugin", "ThermalSpy"],
            path: "Tests"),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.name != "ThermalPluginEntry" {
    target.swiftSettings = [
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .enableUpcomingFeature("ExistentialAny"),
    ]
}
