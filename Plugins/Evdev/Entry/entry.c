#include <sensorium_plugin.h>

/* Without the trait there is no libevdev below the plugin, so that it carries no note and no host
   loads it. */
#ifdef SENSORIUM_TRAIT_EVDEV
/* Id, version and kinds are those of the manifest; a host reads them before it loads the plugin. */
SENSORIUM_PLUGIN("evdev", "0.1.0",
                 SENSORIUM_KIND_BIT(SENSORIUM_KIND_TOUCH) | SENSORIUM_KIND_BIT(SENSORIUM_KIND_KEY),
                 sensorium_evdev_plugin)
#endif
