import SensoriumPluginKit

/// What `Entry/` names: the plugin as a loaded one hands it out.
@c(sensorium_nmea_plugin)
public func exportedPlugin() -> UnsafeRawPointer? { exportedTable(NMEA.self) }
