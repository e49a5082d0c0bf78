import SensoriumPluginKit

/// The plugin as a host sees it that loads it at run time; `Entry/entry.c` names this function.
@c(sensorium_v4l2_plugin)
public func exportedPlugin() -> UnsafeRawPointer? { exportedTable(V4L2.self) }
