// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "sensorium",
    products: [
        .library(name: "Sensorium", targets: ["Sensorium"]),
        .library(name: "SensoriumImages", targets: ["SensoriumImages"]),
        .library(name: "SensoriumPluginKit", targets: ["SensoriumPluginKit"]),
        .library(name: "SensoriumRecording", targets: ["SensoriumRecording"]),
        .library(name: "SensoriumServices", targets: ["SensoriumServices"]),
        .library(name: "SensoriumTestKit", targets: ["SensoriumTestKit"]),
        .executable(name: "sensorium", targets: ["SensoriumCLI"]),
        // For this package's own tests: a plugin that has every kind of sensor.
        .library(name: "FixturePlugin", type: .dynamic, targets: ["FixturePluginEntry"]),
        // And the V4L2 plugin over a camera from a script.
        .library(
            name: "ScriptedCameraPlugin", type: .dynamic, targets: ["ScriptedCameraPluginEntry"]),
        // And the Evdev plugin over a touch screen from a script.
        .library(
            name: "ScriptedScreenPlugin", type: .dynamic, targets: ["ScriptedScreenPluginEntry"]),
    ],
    traits: [
        .trait(name: "Compression", description: "Recordings compressed with zstd or lz4"),
        .trait(name: "Images", description: "JPEG and PNG pictures, by libjpeg-turbo and libpng"),
    ],
    targets: [
        .systemLibrary(
            name: "CLZ4", path: "Sources/CLZ4", pkgConfig: "liblz4",
            providers: [.apt(["liblz4-dev"])]),
        .systemLibrary(
            name: "CPNG", path: "Sources/CPNG", pkgConfig: "libpng",
            providers: [.apt(["libpng-dev"])]),
        .target(name: "CSensorium"),
        .target(name: "CSensoriumHost"),
        .systemLibrary(
            name: "CTurboJPEG", path: "Sources/CTurboJPEG", pkgConfig: "libturbojpeg",
            providers: [.apt(["libturbojpeg0-dev"])]),
        .systemLibrary(
            name: "CZstd", path: "Sources/CZstd", pkgConfig: "libzstd",
            providers: [.apt(["libzstd-dev"])]),
        .target(name: "JPEGMarkers"),
        .target(name: "Sensorium"),
        .target(
            name: "SensoriumImages",
            dependencies: [
                .target(name: "CPNG", condition: .when(traits: ["Images"])),
                .target(name: "CTurboJPEG", condition: .when(traits: ["Images"])),
                "JPEGMarkers", "Sensorium",
            ]),
        .target(
            name: "SensoriumPluginKit", dependencies: ["CSensoriumHost", "CSensorium", "Sensorium"]),
        .target(
            name: "SensoriumRecording",
            dependencies: [
                .target(name: "CLZ4", condition: .when(traits: ["Compression"])),
                .target(name: "CZstd", condition: .when(traits: ["Compression"])),
                "GPSDPlugin", "JPEGMarkers", "NMEAPlugin", "Sensorium", "SensoriumPluginKit",
            ]),
        .target(name: "SensoriumServices", dependencies: ["Sensorium"]),
        .target(
            name: "SensoriumTestKit", dependencies: ["Sensorium", "SensoriumRecording"]),
        .executableTarget(
            name: "SensoriumCLI",
            dependencies: [
                "GPSDPlugin", "NMEAPlugin", "Sensorium", "SensoriumImages", "SensoriumPluginKit",
                "SensoriumRecording", "SensoriumServices", "SensoriumTestKit",
            ]),
        .testTarget(
            name: "SensoriumImagesTests",
            dependencies: ["JPEGMarkers", "Sensorium", "SensoriumImages", "SensoriumTestKit"]),
        .testTarget(
            name: "SensoriumRecordingTests",
            dependencies: [
                "NMEAPlugin", "Sensorium", "SensoriumRecording", "SensoriumTestKit",
            ],
            exclude: ["MCAP/Files"]),
        .testTarget(name: "SensoriumTests", dependencies: ["Sensorium", "SensoriumTestKit"]),
        .target(
            name: "FixturePlugin", dependencies: ["Sensorium", "SensoriumPluginKit"],
            path: "Tests/Fixtures/FixturePlugin/Sources"),
        .target(
            name: "FixturePluginEntry", dependencies: ["CSensorium", "FixturePlugin"],
            path: "Tests/Fixtures/FixturePlugin/Entry"),
        .target(
            name: "ScriptedCameraPlugin",
            dependencies: ["Sensorium", "SensoriumPluginKit", "V4L2Plugin", "V4L2Spy"],
            path: "Tests/Fixtures/ScriptedCamera/Sources"),
        .target(
            name: "ScriptedCameraPluginEntry",
            dependencies: ["CSensorium", "ScriptedCameraPlugin"],
            path: "Tests/Fixtures/ScriptedCamera/Entry"),
        .target(
            name: "ScriptedScreenPlugin",
            dependencies: ["EvdevPlugin", "EvdevSpy", "Sensorium", "SensoriumPluginKit"],
            path: "Tests/Fixtures/ScriptedScreen/Sources"),
        .target(
            name: "ScriptedScreenPluginEntry",
            dependencies: ["CSensorium", "ScriptedScreenPlugin"],
            path: "Tests/Fixtures/ScriptedScreen/Entry"),
        .executableTarget(
            name: "LoaderProbe", dependencies: ["Sensorium", "SensoriumPluginKit"],
            path: "Tests/Fixtures/LoaderProbe"),
        .executableTarget(
            name: "RecordingProbe", dependencies: ["Sensorium", "SensoriumRecording"],
            path: "Tests/Fixtures/RecordingProbe"),
        .target(name: "CHeap", path: "Tests/Fixtures/CHeap"),
        .executableTarget(
            name: "FaultProbe",
            dependencies: [
                "CHeap", "EvdevPlugin", "EvdevSpy", "GPSDPlugin", "GPSDSpy", "IIOPlugin", "IIOSpy",
                "NMEAPlugin", "NMEASpy", "ReplayPlugin", "ReplaySpy", "Sensorium",
                "SensoriumRecording", "SensoriumTestKit", "SimulatedPlugin", "SimulatedSpy",
                "V4L2Plugin", "V4L2Spy",
            ],
            path: "Tests/Fixtures/FaultProbe"),
        .testTarget(
            name: "SensoriumPluginKitTests",
            dependencies: [
                "CSensorium", "FaultProbe", "FixturePlugin", "LoaderProbe", "Sensorium",
                "SensoriumPluginKit", "SensoriumTestKit",
            ],
            exclude: ["Fixtures"]),
        // What the README quotes.
        .executableTarget(
            name: "ReadTogether", dependencies: ["Sensorium", "SimulatedPlugin"],
            path: "Examples/ReadTogether"),
        .executableTarget(
            name: "LoadPlugins", dependencies: ["Sensorium", "SensoriumPluginKit"],
            path: "Examples/LoadPlugins"),
        .executableTarget(
            name: "ToggleButton",
            dependencies: [
                "Sensorium", "SensoriumPluginKit", "SensoriumServices", "SimulatedPlugin",
            ],
            path: "Examples/ToggleButton/Sources"),
        .testTarget(
            name: "ToggleButtonTests",
            dependencies: ["Sensorium", "SensoriumServices", "SensoriumTestKit", "ToggleButton"],
            path: "Examples/ToggleButton/Tests"),
        .testTarget(
            name: "SensoriumCLITests",
            dependencies: [
                "GPSDPlugin", "ImageFilesPlugin", "ImageFilesSpy", "NMEAPlugin", "SensoriumCLI",
                "Sensorium", "SensoriumImages", "SensoriumPluginKit", "SensoriumRecording",
                "SensoriumTestKit",
            ]),
        .testTarget(
            name: "SensoriumServicesTests",
            dependencies: [
                "GPSDPlugin", "GPSDSpy", "Sensorium", "SensoriumServices", "SensoriumTestKit",
            ]),
        .testTarget(
            name: "SensoriumTestKitTests", dependencies: ["Sensorium", "SensoriumTestKit"],
            exclude: ["Recordings"]),
    ],
    swiftLanguageModes: [.v6]
)

/// The traits that are on by default: compression, images, and one for each plugin with a C library.
var defaultTraits: Set<String> = ["Compression", "Images"]
/// The targets that take no Swift settings.
var targetsInC: Set<String> = ["CHeap", "CSensoriumHost", "CSensorium"]

/// A C library that a plugin talks to.
struct CLibrary {
    /// The system library target, in the plugin's folder.
    var module: String
    /// Its pkg-config name.
    var pkgConfig: String
    /// The Debian package that holds its header.
    var apt: String
}

/// Adds the four targets and three products of the plugin in `Plugins/<name>`.
///
/// With `libraries`, the plugin also has a trait of its own name, on by default: without it the
/// plugin builds, but neither links them nor carries the note that makes it loadable. `shim` adds
/// the plugin's own C code, for what Swift cannot import: the target `C<name>` in `C<name>/`.
@MainActor func plugin(
    _ name: String, libraries: [CLibrary] = [], shim: Bool = false,
    uses modules: [Target.Dependency] = []
) {
    let folder = "Plugins/\(name)"
    var needs: [Target.Dependency] = ["Sensorium", "SensoriumPluginKit"] + modules
    var entrySettings: [CSetting] = []
    if !libraries.isEmpty {
        let packages = libraries.map(\.pkgConfig).joined(separator: " and ")
        package.traits.insert(
            .trait(name: name, description: "The \(name) plugin over \(packages)"))
        defaultTraits.insert(name)
        entrySettings = [.define("SENSORIUM_TRAIT_\(name.uppercased())", .when(traits: [name]))]
    }
    for library in libraries {
        needs.append(.target(name: library.module, condition: .when(traits: [name])))
        package.targets.append(
            .systemLibrary(
                name: library.module, path: "\(folder)/\(library.module)",
                pkgConfig: library.pkgConfig, providers: [.apt([library.apt])]))
    }
    if shim {
        needs.append(.byName(name: "C\(name)"))
        targetsInC.insert("C\(name)")
        package.targets.append(.target(name: "C\(name)", path: "\(folder)/C\(name)"))
    }
    package.targets += [
        .target(name: "\(name)Plugin", dependencies: needs, path: "\(folder)/Sources"),
        .target(
            name: "\(name)PluginEntry",
            dependencies: [.byName(name: "\(name)Plugin"), "CSensorium"],
            path: "\(folder)/Entry", cSettings: entrySettings),
        .target(
            name: "\(name)Spy",
            dependencies: [
                .byName(name: "\(name)Plugin"), "SensoriumPluginKit", "SensoriumTestKit",
            ],
            path: "\(folder)/Spy"),
        .testTarget(
            name: "\(name)PluginTests",
            dependencies: [
                .byName(name: "\(name)Plugin"), .byName(name: "\(name)Spy"), "Sensorium",
                "SensoriumPluginKit", "SensoriumTestKit",
            ] + modules,
            path: "\(folder)/Tests"),
    ]
    package.products += [
        .library(name: "\(name)Plugin", targets: ["\(name)Plugin"]),
        .library(name: "Sensorium\(name)", type: .dynamic, targets: ["\(name)PluginEntry"]),
        .library(name: "\(name)Spy", targets: ["\(name)Spy"]),
    ]
}

plugin("Simulated")
plugin("GPSD")
plugin("NMEA")
plugin("Replay", uses: ["SensoriumRecording"])
plugin("ImageFiles", uses: ["JPEGMarkers", "SensoriumImages"])
plugin("IIO", libraries: [CLibrary(module: "CIIO", pkgConfig: "libiio", apt: "libiio-dev")])
plugin("V4L2", shim: true, uses: ["JPEGMarkers"])
plugin(
    "Evdev", libraries: [CLibrary(module: "CEvdev", pkgConfig: "libevdev", apt: "libevdev-dev")])

// Against real daemons and the real kernel.
package.targets.append(
    .testTarget(
        name: "SystemTests",
        dependencies: [
            "EvdevPlugin", "GPSDPlugin", "IIOPlugin", "NMEAPlugin", "RecordingProbe", "Sensorium",
            "SensoriumCLI", "SensoriumImages", "SensoriumPluginKit", "SensoriumRecording",
            "SensoriumTestKit",
            "ToggleButton",
        ],
        exclude: [
            "Join/accelerometer.umockdev", "Join/join.sh", "MCAP/beside.py", "VM/README.md",
            "VM/devices", "VM/guest",
            "VM/machine", "VM/prepare",
        ]))

package.traits.insert(.default(enabledTraits: defaultTraits))

let swiftSettings: [SwiftSetting] = [
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
]
for target in package.targets
where target.type != .system && !targetsInC.contains(target.name)
    && !target.name.hasSuffix("Entry")
{
    target.swiftSettings = (target.swiftSettings ?? []) + swiftSettings
}
