#include <sensorium_plugin.h>

SENSORIUM_PLUGIN("nmea", "0.1.0",
                 SENSORIUM_KIND_BIT(SENSORIUM_KIND_LOCATION) | SENSORIUM_KIND_BIT(SENSORIUM_KIND_SATELLITES) |
                     SENSORIUM_KIND_BIT(SENSORIUM_KIND_HEADING),
                 sensorium_nmea_plugin)
