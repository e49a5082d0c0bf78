#include <sensorium_plugin.h>

/* Id, version and kinds are those of the manifest; a host reads them before it loads the plugin. */
SENSORIUM_PLUGIN("image-files", "0.1.0", SENSORIUM_KIND_BIT(SENSORIUM_KIND_CAMERA),
                 sensorium_image_files_plugin)
