/*
 * Tells a crash in a plugin's first calls from every other end of a process.
 *
 * A marker is a file that is there while a plugin makes its first calls. Whether the process died of
 * the plugin, or was only ended meanwhile (SIGINT, SIGTERM, SIGKILL, a power cut), cannot be seen
 * from a file that is left behind. So while at least one marker is watched, the signals of a crash
 * (SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS) are handled here: the handler writes
 * one line into the marker, puts back whatever handled the signal before, and lets it happen again.
 * Nothing is installed while no marker is watched. See docs/decisions/0005.
 *
 * This is no part of the boundary between host and plugin.
 */
#ifndef SENSORIUM_CRASH_MARKER_H
#define SENSORIUM_CRASH_MARKER_H

#ifdef __cplusplus
extern "C" {
#endif

/* The first line of a marker has this many bytes, the line feed included. */
#define CRASH_MARKER_LINE 16

/* Watches the marker open for writing as `descriptor`, which stays the caller's and must stay open
 * until crash_marker_end. Returns a number for the calls below, or -1 when too many are watched. */
int crash_marker_begin(int descriptor);

/* The calling thread enters the plugin's code. Calls may not be nested for one marker. A crash on a
 * thread that is inside a plugin is recorded in that plugin's marker; any other crash in every marker
 * that is watched. A stack overflow is noticed too: the thread gets a stack for signals. */
void crash_marker_enter(int marker);

/* The calling thread, the one that entered, leaves the plugin's code. */
void crash_marker_leave(int marker);

/* Watches the marker no longer. */
void crash_marker_end(int marker);

#ifdef __cplusplus
}
#endif

#endif
