/* The one entry of the auxiliary vector that the loader needs; Swift does not import getauxval. */
#ifndef SENSORIUM_PROCESS_RIGHTS_H
#define SENSORIUM_PROCESS_RIGHTS_H

#include <sys/auxv.h>

/* Whether this process has other rights than the user who started it: AT_SECURE of getauxval(3). */
static inline int process_is_privileged(void) { return getauxval(AT_SECURE) != 0; }

#endif
