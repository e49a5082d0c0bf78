/*
 * hid: plays two USB devices to the kernel through /dev/uhid: a HID sensor hub, and a touch screen of
 * five fingers. The kernel's own drivers take them for real ones.
 *
 *   hid FIFO        takes commands, a line each, through FIFO, which it makes:
 *
 *   set SENSOR X [Y Z]      what a sensor measures from now on, in its raw counts
 *   ramp SENSOR             from now on x counts its reports from 1 on, and y and z stay
 *   finger N X Y TIP        where finger N is at the next frame, and whether it touches (1) or not (0)
 *   frame                   sends a frame of the screen
 *   unplug hub|screen       takes a device away
 *   plug hub|screen         brings it back
 *   quit
 *
 * SENSOR is one of accel, gyro, magn, light, pressure, temperature.
 *
 * Sources: HID Usage Tables 1.4 (pages 0x20, Sensors, and 0x0d, Digitizers);
 * Documentation/hid/uhid.rst and hid-sensor.rst of the kernel.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/uhid.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "report_descriptor.h"
#include "touch_screen.h"

/* ----------------------------------------------------------------------------------------- sensors */

struct sensor {
    const char *name;
    uint8_t report;     /* the id of its reports */
    uint8_t usage;      /* what it is */
    uint16_t field;     /* the usage of its first value */
    int fields;
    uint8_t exponent;   /* of ten, as a nibble: raw counts to the unit of the usage */
    int32_t values[3];
    uint8_t reporting, power;    /* what the driver has set: the index in the selectors below */
    uint32_t interval_ms;
    uint16_t sensitivity;
    bool ramps;
    uint64_t next_ns;
};

enum { SENSORS = 6, SELECTORS = 6, ALL_EVENTS = 2, FULL_POWER = 2 };

static struct sensor sensors[SENSORS] = {
    {"accel", 1, 0x73, 0x0453, 3, 0xd, {10, -20, 1000}, 1, 1, 20, 0, false, 0},    /* 0.001 g */
    {"gyro", 2, 0x76, 0x0457, 3, 0xe, {100, 200, -300}, 1, 1, 20, 0, false, 0},    /* 0.01 degrees/s */
    {"magn", 3, 0x83, 0x0485, 3, 0x0, {210, -40, 430}, 1, 1, 50, 0, false, 0},     /* milligauss */
    {"light", 4, 0x41, 0x04d1, 1, 0x0, {321}, 1, 1, 100, 0, false, 0},             /* lux */
    {"pressure", 5, 0x31, 0x0431, 1, 0xa, {1013250}, 1, 1, 100, 0, false, 0},      /* 0.000001 bar */
    {"temperature", 6, 0x33, 0x0434, 1, 0xe, {2150}, 1, 1, 100, 0, false, 0},      /* 0.01 degrees C */
};

static struct sensor *sensor_named(const char *name) {
    for (int i = 0; i < SENSORS; i++)
        if (!strcmp(sensors[i].name, name)) return &sensors[i];
    return NULL;
}

static struct sensor *sensor_of_report(int report) {
    return report >= 1 && report <= SENSORS ? &sensors[report - 1] : NULL;
}

/* Adds a property that is one of several usages: the driver writes the index of the usage, from 1 on. */
static void add_selector(struct descriptor *d, uint16_t property, uint16_t first) {
    add(d, USAGE, 2, property);
    add(d, LOGICAL_MINIMUM, 1, 1);
    add(d, LOGICAL_MAXIMUM, 1, SELECTORS);
    add(d, REPORT_SIZE, 1, 8);
    add(d, REPORT_COUNT, 1, 1);
    add(d, COLLECTION, 1, LOGICAL);
    for (int i = 0; i < SELECTORS; i++) add(d, USAGE, 2, (uint32_t)(first + i));
    add(d, FEATURE, 1, ARRAY);
    add(d, END_COLLECTION, 0, 0);
}

static void describe_hub(struct descriptor *d) {
    d->count = 0;
    add(d, USAGE_PAGE, 1, 0x20);
    add(d, USAGE, 1, 0x01);
    add(d, COLLECTION, 1, APPLICATION);
    for (int i = 0; i < SENSORS; i++) {
        struct sensor *s = &sensors[i];
        add(d, REPORT_ID, 1, s->report);
        add(d, USAGE_PAGE, 1, 0x20);
        add(d, USAGE, 1, s->usage);
        add(d, COLLECTION, 1, PHYSICAL);
        add_selector(d, 0x0316, 0x0840);   /* reporting state */
        add_selector(d, 0x0319, 0x0850);   /* power state */
        add(d, USAGE, 2, 0x030e);          /* report interval, milliseconds */
        add(d, LOGICAL_MINIMUM, 1, 0);
        add(d, LOGICAL_MAXIMUM, 4, INT32_MAX);
        add(d, UNIT_EXPONENT, 1, 0);
        add_field(d, FEATURE, 32, 1, VARIABLE);
        add(d, USAGE, 2, 0x030f);          /* change sensitivity */
        add(d, LOGICAL_MAXIMUM, 2, INT16_MAX);
        add(d, UNIT_EXPONENT, 1, s->exponent);
        add_field(d, FEATURE, 16, 1, VARIABLE);
        for (int field = 0; field < s->fields; field++) {
            add(d, USAGE, 2, (uint32_t)(s->field + field));
            add(d, LOGICAL_MINIMUM, 4, (uint32_t)-INT32_MAX);
            add(d, LOGICAL_MAXIMUM, 4, INT32_MAX);
            add(d, UNIT_EXPONENT, 1, s->exponent);
            add_field(d, INPUT, 32, 1, VARIABLE);
        }
        add(d, END_COLLECTION, 0, 0);
    }
    add(d, END_COLLECTION, 0, 0);
}

static int feature_report(const struct sensor *s, uint8_t *report) {
    int n = 0;
    report[n++] = s->report;
    report[n++] = s->reporting;
    report[n++] = s->power;
    n += put(report + n, &s->interval_ms, 4);
    return n + put(report + n, &s->sensitivity, 2);
}

static int input_report(const struct sensor *s, uint8_t *report) {
    report[0] = s->report;
    return 1 + put(report + 1, s->values, 4 * s->fields);
}

/* ----------------------------------------------------------------------------------------- devices */

struct device {
    const char *name, *serial;
    uint32_t product;
    void (*describe)(struct descriptor *);
    int fd;   /* -1 while it is unplugged */
};

static struct device hub = {"Test Sensor Hub", "hub", 1, describe_hub, -1};
static struct device screen = {"Test Screen", "screen", 2, describe_screen, -1};

static void send_event(struct device *device, const struct uhid_event *event) {
    if (device->fd >= 0 && write(device->fd, event, sizeof *event) != (ssize_t)sizeof *event)
        fprintf(stderr, "hid: %s: event %u: %s\n", device->name, event->type, strerror(errno));
}

static void plug(struct device *device) {
    static struct descriptor descriptor;
    struct uhid_event event = {.type = UHID_CREATE2};
    struct uhid_create2_req *request = &event.u.create2;
    if (device->fd >= 0) return;
    device->fd = open("/dev/uhid", O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (device->fd < 0) {
        perror("hid: /dev/uhid");
        exit(1);
    }
    device->describe(&descriptor);
    snprintf((char *)request->name, sizeof request->name, "%s", device->name);
    snprintf((char *)request->uniq, sizeof request->uniq, "%s", device->serial);
    snprintf((char *)request->phys, sizeof request->phys, "test/%s", device->serial);
    memcpy(request->rd_data, descriptor.bytes, (size_t)descriptor.count);
    request->rd_size = (uint16_t)descriptor.count;
    request->bus = 3;   /* USB */
    request->vendor = 0x1209;
    request->product = device->product;
    request->version = 1;
    send_event(device, &event);
    fprintf(stderr, "hid: plugged in %s\n", device->name);
}

/* The kernel destroys a device whose file is closed. */
static void unplug(struct device *device) {
    if (device->fd < 0) return;
    close(device->fd);
    device->fd = -1;
    for (int i = 0; device == &hub && i < SENSORS; i++) sensors[i].reporting = sensors[i].power = 1;
    for (int i = 0; device == &screen && i < FINGERS; i++) fingers[i] = (struct finger){0};
    fprintf(stderr, "hid: unplugged %s\n", device->name);
}

static void send_input(struct device *device, int (*fill)(const void *, uint8_t *), const void *of) {
    struct uhid_event event = {.type = UHID_INPUT2};
    event.u.input2.size = (uint16_t)fill(of, event.u.input2.data);
    send_event(device, &event);
}
static int fill_sensor(const void *of, uint8_t *report) { return input_report(of, report); }
static int fill_frame(const void *of, uint8_t *report) {
    (void)of;
    return frame_report(report);
}

static uint64_t now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Answers what the kernel asks of a device. */
static void answer(struct device *device) {
    struct uhid_event event = {0}, reply = {0};
    if (read(device->fd, &event, sizeof event) <= 0) return;
    if (event.type == UHID_GET_REPORT) {
        struct uhid_get_report_reply_req *to = &reply.u.get_report_reply;
        struct sensor *s = device == &hub ? sensor_of_report(event.u.get_report.rnum) : NULL;
        bool is_feature = event.u.get_report.rtype == UHID_FEATURE_REPORT;
        reply.type = UHID_GET_REPORT_REPLY;
        to->id = event.u.get_report.id;
        if (s) {
            to->size = (uint16_t)(is_feature ? feature_report(s, to->data) : input_report(s, to->data));
        } else if (device == &screen && is_feature && event.u.get_report.rnum == 2) {
            to->size = 2;
            to->data[0] = 2;
            to->data[1] = FINGERS;
        } else {
            to->err = EIO;
        }
        send_event(device, &reply);
    } else if (event.type == UHID_SET_REPORT) {
        struct sensor *s = device == &hub ? sensor_of_report(event.u.set_report.rnum) : NULL;
        const uint8_t *data = event.u.set_report.data;
        if (s && event.u.set_report.size >= 9) {
            s->reporting = data[1];
            s->power = data[2];
            memcpy(&s->interval_ms, data + 3, 4);
            memcpy(&s->sensitivity, data + 7, 2);
            s->next_ns = now_ns() + s->interval_ms * 1000000ull;
            fprintf(stderr, "hid: %s: reporting %u, power %u, every %u ms\n", s->name, s->reporting,
                    s->power, s->interval_ms);
        }
        reply.type = UHID_SET_REPORT_REPLY;
        reply.u.set_report_reply.id = event.u.set_report.id;
        send_event(device, &reply);
    }
}

/* Sends what is due; returns how long to wait for the next, in milliseconds. */
static int send_due(void) {
    uint64_t now = now_ns(), next = now + 1000000000u;
    if (hub.fd < 0) return 1000;
    for (int i = 0; i < SENSORS; i++) {
        struct sensor *s = &sensors[i];
        uint64_t interval = s->interval_ms * 1000000ull;
        if (s->reporting != ALL_EVENTS || s->power != FULL_POWER || !interval) continue;
        while (s->next_ns <= now) {
            if (s->ramps) s->values[0]++;
            send_input(&hub, fill_sensor, s);
            s->next_ns += interval;
        }
        if (s->next_ns < next) next = s->next_ns;
    }
    now = now_ns();
    return next > now ? (int)((next - now + 999999) / 1000000) : 0;
}

static void obey(char *line) {
    char verb[16] = "", what[16] = "";
    int a = 0, b = 0, c = 0, d = 0;
    sscanf(line, "%15s %15s", verb, what);
    struct sensor *s = sensor_named(what);
    struct device *device = !strcmp(what, "hub") ? &hub : !strcmp(what, "screen") ? &screen : NULL;
    if (!strcmp(verb, "quit")) {
        exit(0);
    } else if (!strcmp(verb, "set") && s && sscanf(line, "%*s %*s %d %d %d", &a, &b, &c) >= 1) {
        s->ramps = false;
        s->values[0] = a;
        s->values[1] = b;
        s->values[2] = c;
    } else if (!strcmp(verb, "ramp") && s) {
        s->ramps = true;
        s->values[0] = 0;
    } else if (!strcmp(verb, "finger") && sscanf(line, "%*s %d %d %d %d", &a, &b, &c, &d) == 4 &&
               a >= 0 && a < FINGERS) {
        fingers[a].x = (uint16_t)b;
        fingers[a].y = (uint16_t)c;
        fingers[a].touches = d;
    } else if (!strcmp(verb, "frame")) {
        send_input(&screen, fill_frame, NULL);
    } else if (!strcmp(verb, "unplug") && device) {
        unplug(device);
    } else if (!strcmp(verb, "plug") && device) {
        plug(device);
    } else {
        fprintf(stderr, "hid: what is '%s'?\n", line);
    }
}

int main(int count, char **arguments) {
    char text[4096];
    size_t held = 0;
    if (count != 2) {
        fprintf(stderr, "usage: hid FIFO\n");
        return 2;
    }
    unlink(arguments[1]);
    /* Open for both, so that it does not end with a writer. */
    int fifo = mkfifo(arguments[1], 0600) ? -1 : open(arguments[1], O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (fifo < 0) {
        perror(arguments[1]);
        return 1;
    }
    plug(&hub);
    plug(&screen);
    for (;;) {
        struct pollfd files[3] = {{hub.fd, POLLIN, 0}, {screen.fd, POLLIN, 0}, {fifo, POLLIN, 0}};
        poll(files, 3, send_due());
        if (hub.fd >= 0 && files[0].revents) answer(&hub);
        if (screen.fd >= 0 && files[1].revents) answer(&screen);
        if (!(files[2].revents & POLLIN)) continue;
        ssize_t got = read(fifo, text + held, sizeof text - 1 - held);
        if (got <= 0) continue;
        held += (size_t)got;
        text[held] = 0;
        char *end;
        while ((end = strchr(text, '\n'))) {
            *end = 0;
            obey(text);
            held -= (size_t)(end + 1 - text);
            memmove(text, end + 1, held + 1);
        }
        if (held == sizeof text - 1) held = 0;
    }
}
