#include <sensorium_plugin.h>

SENSORIUM_PLUGIN("fixture", "1.2.3", UINT64_C(0xfffe), sensorium_fixture_plugin)
