// Loads every plugin that is installed, and says what became of each file.

import Sensorium
import SensoriumPluginKit

let registry = SensorRegistry(
    host: PluginHost(configuration: { key in ["gpsd.address": "127.0.0.1:2947"][key] }))
let loader = PluginLoader(host: registry.host, crashMarkers: nil)
let report = await loader.load(PluginSearchPath())
for plugin in report.plugins { try await registry.add(plugin) }

print(report)  // each folder, each file: loaded, or why not
for sensor in registry.descriptors { print(sensor.id, sensor.kind, sensor.name) }
await registry.removeAll()
