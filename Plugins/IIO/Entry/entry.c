#include <sensorium_plugin.h>

/* Without the trait there is no libiio below the plugin, so that it carries no note and no host
   loads it. */
#ifdef SENSORIUM_TRAIT_IIO
/* Id, version and kinds are those of the manifest; a host reads them before it loads the plugin. */
SENSORIUM_PLUGIN("iio", "0.1.0",
                 SENSORIUM_KIND_BIT(SENSORIUM_KIND_ACCELERATION) |
                     SENSORIUM_KIND_BIT(SENSORIUM_KIND_ANGULAR_VELOCITY) |
                     SENSORIUM_KIND_BIT(SENSORIUM_KIND_MAGNETIC_FIELD) |
                     SENSORIUM_KIND_BIT(SENSORIUM_KIND_PRESSURE) |
                     SENSORIUM_KIND_BIT(SENSORIUM_KIND_TEMPERATURE) |
                     SENSORIUM_KIND_BIT(SENSORIUM_KIND_HUMIDITY) |
                     SENSORIUM_KIND_BIT(SENSORIUM_KIND_ILLUMINANCE) |
                     SENSORIUM_KIND_BIT(SENSORIUM_KIND_PROXIMITY),
                 sensorium_iio_plugin)
#endif
