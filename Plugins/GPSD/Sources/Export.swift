import SensoriumPluginKit

/// What `Entry/` names: the plugin as a loaded one hands it out.
@c(sensorium_gpsd_plugin)
public func exportedPlugin() -> UnsafeRawPointer? { exportedTable(GPSD.self) }
