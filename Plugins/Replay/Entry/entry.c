#include <sensorium_plugin.h>

/* All kinds: which ones there are depends on the recording. */
SENSORIUM_PLUGIN("replay", "0.1.0",
                 SENSORIUM_KIND_BIT(SENSORIUM_KIND_LOCATION) |
                     SENSORIUM_KIND_BIT(SENSORIUM_KIND_SATELLITES) |
                     SENSORIUM_KIND_BIT(SENSORIUM_KIND_HEADING) |
                     SENSORIUM_KIND_BIT(SENSORIUM_KIND_ATTITUDE) |
                     SENSORIUM_KIND_BIT(SENSORIUM_KIND_ACCELERATION) |
                     SENSORIUM_KIND_BIT(SENSORIUM_KIND_ANGULAR_VELOCITY) |
                     SENSORIUM_KIND_BIT(SENSORIUM_KIND_MAGNETIC_FIELD) |
                     SENSORIUM_KIND_BIT(SENSORIUM_KIND_PRESSURE) |
                     SENSORIUM_KIND_BIT(SENSORIUM_KIND_TEMPERATURE) |
                     SENSORIUM_KIND_BIT(SENSORIUM_KIND_HUMIDITY) |
                     SENSORIUM_KIND_BIT(SENSORIUM_KIND_ILLUMINANCE) |
                     SENSORIUM_KIND_BIT(SENSORIUM_KIND_PROXIMITY) |
                     SENSORIUM_KIND_BIT(SENSORIUM_KIND_CAMERA) |
                     SENSORIUM_KIND_BIT(SENSORIUM_KIND_TOUCH) |
                     SENSORIUM_KIND_BIT(SENSORIUM_KIND_KEY),
                 sensorium_replay_plugin)
