/*
 * A HID touch screen of five fingers: its report descriptor and its reports.
 *
 * Source: HID Usage Tables 1.4, page 0x0d, Digitizers.
 */
#ifndef TOUCH_SCREEN_H
#define TOUCH_SCREEN_H

#include <stdbool.h>

#include "report_descriptor.h"

enum { FINGERS = 5, WIDTH = 1919, HEIGHT = 1079 };

static struct finger {
    bool touches, touched;   /* in this frame, in the last one */
    uint16_t x, y;
} fingers[FINGERS];

static void describe_screen(struct descriptor *d) {
    d->count = 0;
    add(d, USAGE_PAGE, 1, 0x0d);
    add(d, USAGE, 1, 0x04);   /* touch screen */
    add(d, COLLECTION, 1, APPLICATION);
    add(d, REPORT_ID, 1, 1);
    for (int finger = 0; finger < FINGERS; finger++) {
        add(d, USAGE_PAGE, 1, 0x0d);
        add(d, USAGE, 1, 0x22);
        add(d, COLLECTION, 1, LOGICAL);
        add(d, USAGE, 1, 0x42);   /* tip switch, in a byte of its own */
        add(d, LOGICAL_MINIMUM, 1, 0);
        add(d, LOGICAL_MAXIMUM, 1, 1);
        add_field(d, INPUT, 1, 1, VARIABLE);
        add_field(d, INPUT, 1, 7, CONSTANT);
        add(d, USAGE, 1, 0x51);   /* contact identifier */
        add(d, LOGICAL_MAXIMUM, 1, 127);
        add_field(d, INPUT, 8, 1, VARIABLE);
        add(d, USAGE_PAGE, 1, 0x01);
        add(d, UNIT_EXPONENT, 1, 0x0e);
        add(d, UNIT, 1, 0x11);    /* 0.01 cm */
        add(d, PHYSICAL_MINIMUM, 1, 0);
        add(d, USAGE, 1, 0x30);
        add(d, LOGICAL_MAXIMUM, 2, WIDTH);
        add(d, PHYSICAL_MAXIMUM, 2, 2048);
        add_field(d, INPUT, 16, 1, VARIABLE);
        add(d, USAGE, 1, 0x31);
        add(d, LOGICAL_MAXIMUM, 2, HEIGHT);
        add(d, PHYSICAL_MAXIMUM, 2, 1152);
        add_field(d, INPUT, 16, 1, VARIABLE);
        add(d, PHYSICAL_MAXIMUM, 1, 0);
        add(d, UNIT_EXPONENT, 1, 0);
        add(d, UNIT, 1, 0);
        add(d, END_COLLECTION, 0, 0);
    }
    add(d, USAGE_PAGE, 1, 0x0d);
    add(d, USAGE, 1, 0x54);   /* contact count */
    add(d, LOGICAL_MAXIMUM, 1, FINGERS);
    add_field(d, INPUT, 8, 1, VARIABLE);
    add(d, REPORT_ID, 1, 2);
    add(d, USAGE, 1, 0x55);   /* contact count maximum */
    add_field(d, FEATURE, 8, 1, VARIABLE);
    add(d, END_COLLECTION, 0, 0);
}

/* Contacts first, those that were just lifted among them, then empty places. */
static int frame_report(uint8_t *report) {
    int n = 0;
    uint8_t contacts = 0;
    report[n++] = 1;
    for (int empty = 0; empty < 2; empty++) {
        for (int finger = 0; finger < FINGERS; finger++) {
            struct finger *f = &fingers[finger];
            bool is_contact = f->touches || f->touched;
            if (is_contact == (bool)empty) continue;
            report[n++] = f->touches;
            report[n++] = (uint8_t)finger;
            n += put(report + n, &f->x, 2);
            n += put(report + n, &f->y, 2);
            contacts += is_contact;
        }
    }
    for (int finger = 0; finger < FINGERS; finger++) fingers[finger].touched = fingers[finger].touches;
    report[n++] = contacts;
    return n;
}

#endif
