/* SwiftPM wants a header in a C target; the entry exports nothing but sensorium_plugin. */
