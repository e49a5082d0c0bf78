#include <sensorium_plugin.h>

/* Id, version and kinds are those of the manifest; a host reads them before it loads the plugin. */
SENSORIUM_PLUGIN("thermal", "1.0.0", SENSORIUM_KIND_BIT(SENSORIUM_KIND_TEMPERATURE),
                 sensorium_thermal_plugin)
