/* SwiftPM wants a source file in a C target. This one keeps the layouts that the header promises. */
#include "sensorium_plugin.h"

_Static_assert(sizeof(sensorium_time) == 24, "sensorium_time has another layout");
_Static_assert(sizeof(sensorium_motion) == 64, "sensorium_motion has another layout");
_Static_assert(sizeof(sensorium_scalar) == 56, "sensorium_scalar has another layout");
_Static_assert(sizeof(sensorium_location) == 128, "sensorium_location has another layout");
_Static_assert(sizeof(sensorium_satellite) == 40, "sensorium_satellite has another layout");
_Static_assert(sizeof(sensorium_satellites) == 80, "sensorium_satellites has another layout");
_Static_assert(sizeof(sensorium_heading) == 64, "sensorium_heading has another layout");
_Static_assert(sizeof(sensorium_attitude) == 72, "sensorium_attitude has another layout");
_Static_assert(sizeof(sensorium_touch) == 88, "sensorium_touch has another layout");
_Static_assert(sizeof(sensorium_key) == 32, "sensorium_key has another layout");
_Static_assert(sizeof(sensorium_plane) == 24, "sensorium_plane has another layout");
_Static_assert(sizeof(sensorium_frame) == 184, "sensorium_frame has another layout");
_Static_assert(sizeof(sensorium_note) == 100, "sensorium_note has another layout");
