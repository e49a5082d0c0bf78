#include <sensorium_plugin.h>

SENSORIUM_PLUGIN("v4l2", "0.1.0", SENSORIUM_KIND_BIT(SENSORIUM_KIND_CAMERA),
                 sensorium_scripted_camera_plugin)
