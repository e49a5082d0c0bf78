import SensoriumPluginKit

/// The plugin as a host sees it that loads it at run time; `Entry/entry.c` names this function.
@c(sensorium_image_files_plugin)
public func exportedPlugin() -> UnsafeRawPointer? { exportedTable(ImageFiles.self) }
