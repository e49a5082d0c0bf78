#pragma once
#include <stddef.h>

/* How many bytes of the heap are in use, over all arenas; Swift's Glibc module has no <malloc.h>. */
size_t heap_bytes_in_use(void);
