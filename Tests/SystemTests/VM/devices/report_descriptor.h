/*
 * Writes HID report descriptors, item by item.
 *
 * Source: Device Class Definition for HID 1.11, 6.2.2.
 */
#ifndef REPORT_DESCRIPTOR_H
#define REPORT_DESCRIPTOR_H

#include <stdint.h>
#include <string.h>

/* Short items of a report descriptor, without the two bits that tell how many bytes follow. */
enum item {
    INPUT = 0x80, COLLECTION = 0xa0, FEATURE = 0xb0, END_COLLECTION = 0xc0,
    USAGE_PAGE = 0x04, LOGICAL_MINIMUM = 0x14, LOGICAL_MAXIMUM = 0x24, PHYSICAL_MINIMUM = 0x34,
    PHYSICAL_MAXIMUM = 0x44, UNIT_EXPONENT = 0x54, UNIT = 0x64, REPORT_SIZE = 0x74, REPORT_ID = 0x84,
    REPORT_COUNT = 0x94, USAGE = 0x08
};
enum { PHYSICAL = 0, APPLICATION = 1, LOGICAL = 2 };           /* collections */
enum { ARRAY = 0x00, VARIABLE = 0x02, CONSTANT = 0x03 };       /* fields */

struct descriptor {
    uint8_t bytes[4096];
    int count;
};

/* Adds an item whose value takes `size` bytes: 0, 1, 2 or 4. */
static void add(struct descriptor *d, enum item item, int size, uint32_t value) {
    d->bytes[d->count++] = (uint8_t)(item | (size == 4 ? 3 : size));
    for (int byte = 0; byte < size; byte++) d->bytes[d->count++] = (uint8_t)(value >> (8 * byte));
}

/* Adds a field, or several, of a report. */
static void add_field(struct descriptor *d, enum item kind, int bits, int count, int flags) {
    add(d, REPORT_SIZE, 1, (uint32_t)bits);
    add(d, REPORT_COUNT, 1, (uint32_t)count);
    add(d, kind, 1, (uint32_t)flags);
}

/* Adds a value to a report; returns its size. */
static int put(uint8_t *at, const void *value, int size) {
    memcpy(at, value, (size_t)size);
    return size;
}

#endif
