import SensoriumPluginKit

/// The plugin as a host sees it that loads it at run time; `Entry/entry.c` names this function.
@c(sensorium_evdev_plugin)
public func exportedPlugin() -> UnsafeRawPointer? { exportedTable(Evdev.self) }
