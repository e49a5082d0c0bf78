#include <sensorium_plugin.h>

SENSORIUM_PLUGIN("evdev", "0.1.0",
                 SENSORIUM_KIND_BIT(SENSORIUM_KIND_TOUCH) | SENSORIUM_KIND_BIT(SENSORIUM_KIND_KEY),
                 sensorium_scripted_screen_plugin)
