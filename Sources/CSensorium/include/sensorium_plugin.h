/*
 * sensorium_plugin.h: the boundary between a Sensorium host and a plugin that it loads.
 *
 * A plugin is a shared library that finds sensors and reads them. It may be written in C, C++, Rust or
 * Swift (which has a package for it, SensoriumPluginKit), and be built by any compiler. This header
 * is all that host and plugin share; it needs C11 or C++11, and nothing but the C library's headers.
 *
 * A plugin in short:
 *
 *     #include <sensorium_plugin.h>
 *     SENSORIUM_PLUGIN("cee", "1.0.0", SENSORIUM_KIND_BIT(SENSORIUM_KIND_PRESSURE), cee_plugin)
 *     const void *cee_plugin(void) { return &table; }      // a constant sensorium_plugin_table
 *
 * RULES
 *
 * Completions  Every function with a completion returns soon and never blocks. It calls its completion
 *              exactly once, from any thread, before or after it returns. A completion is a function
 *              and an `argument` that is handed through to it.
 * Threads      The host may call the functions of a table from any thread, for several sensors at
 *              once; it calls those of one session one at a time. It never calls `close` or
 *              `reconfigure` from inside a callback of a receiver. A plugin calls the functions of
 *              one receiver one at a time, from any thread.
 * Pointers     What a pointer in an argument points at (struct, string, reading) is valid during the
 *              call only; both sides copy what they keep. The exceptions say so: the host's table
 *              and the plugin's table live as long as the process.
 * Strings      UTF-8, ended by a NUL. NULL or "" where there is nothing to say. Sentences and clauses
 *              for people are in English, without a full stop.
 * Unknown      Readings have a mask, `valid`, with one bit for each value that is known; the rest is not
 *              looked at. No number stands for "unknown", unless its comment says so.
 * Sizes        `size` is sizeof the struct. A struct never changes: a larger one gets a new tag
 *              (sensorium_host_2) and the next boundary version. `reserved` members are 0.
 * Exceptions   None crosses the boundary, nor does longjmp.
 * Ending       A plugin is never unloaded. After `stop` has completed, it runs nothing.
 */
// lint:allow(length) one file is all that a plugin in any language needs
#ifndef SENSORIUM_PLUGIN_H
#define SENSORIUM_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of everything below. A host refuses a plugin of another version. Version 0 is not yet
 * promised to anybody: it may change until the first release. */
#define SENSORIUM_BOUNDARY 0u

/* ------------------------------------------------------------------------------------------ kinds */

/* What a sensor measures, and so which struct its readings are. */
enum {
    SENSORIUM_KIND_LOCATION = 1,         /* sensorium_location */
    SENSORIUM_KIND_SATELLITES = 2,       /* sensorium_satellites */
    SENSORIUM_KIND_HEADING = 3,          /* sensorium_heading */
    SENSORIUM_KIND_ATTITUDE = 4,         /* sensorium_attitude */
    SENSORIUM_KIND_ACCELERATION = 5,     /* sensorium_motion, m/s2, +9.81 on z face up at rest */
    SENSORIUM_KIND_ANGULAR_VELOCITY = 6, /* sensorium_motion, rad/s */
    SENSORIUM_KIND_MAGNETIC_FIELD = 7,   /* sensorium_motion, tesla */
    SENSORIUM_KIND_PRESSURE = 8,         /* sensorium_scalar, pascal */
    SENSORIUM_KIND_TEMPERATURE = 9,      /* sensorium_scalar, degrees Celsius */
    SENSORIUM_KIND_HUMIDITY = 10,        /* sensorium_scalar, 0 to 1, relative */
    SENSORIUM_KIND_ILLUMINANCE = 11,     /* sensorium_scalar, lux */
    SENSORIUM_KIND_PROXIMITY = 12,       /* sensorium_scalar, metres */
    SENSORIUM_KIND_CAMERA = 13,          /* sensorium_frame */
    SENSORIUM_KIND_TOUCH = 14,           /* sensorium_touch */
    SENSORIUM_KIND_KEY = 15              /* sensorium_key */
};

/* One kind in a set of kinds, as SENSORIUM_PLUGIN takes it. */
#define SENSORIUM_KIND_BIT(kind) (UINT64_C(1) << (kind))

/* ------------------------------------------------------------------------------------------- time */

/* Clocks. */
enum {
    SENSORIUM_CLOCK_BOOTTIME = 0,  /* CLOCK_BOOTTIME: since boot, sleep included */
    SENSORIUM_CLOCK_REALTIME = 1,  /* CLOCK_REALTIME, and any UTC: since 1970, no leap seconds */
    SENSORIUM_CLOCK_MONOTONIC = 2, /* CLOCK_MONOTONIC: since boot, sleep left out */
    SENSORIUM_CLOCK_TAI = 3,       /* CLOCK_TAI: since 1970, leap seconds counted */
    SENSORIUM_CLOCK_FOREIGN = 4    /* a device's own, or another machine's */
};

/* Where the instant of a reading comes from. */
enum {
    SENSORIUM_TIME_DEVICE = 0, /* the source's own stamp, mapped to boot time */
    SENSORIUM_TIME_ARRIVAL = 1 /* when it arrived: the source gave no plausible time */
};

/* When a reading was measured. 24 bytes. */
typedef struct sensorium_time {
    int64_t instant_ns;   /* the measurement on CLOCK_BOOTTIME; 0 or less where unknown */
    int64_t original_ns;  /* the time as the source gave it, on the clock `domain` */
    float uncertainty_s;  /* how far the instant may be from the truth; NaN where unknown */
    uint8_t domain;       /* SENSORIUM_CLOCK_..., of original_ns */
    uint8_t source;       /* SENSORIUM_TIME_... */
    uint8_t has_original; /* 1 where the source gave a time */
    uint8_t reserved;
} sensorium_time;

/* One clock and boot time, read at the same moment. */
typedef struct sensorium_clock_sample {
    int64_t boottime_ns;
    int64_t time_ns;        /* the other clock */
    int64_t uncertainty_ns; /* between the two reads of boot time around that of the other clock */
} sensorium_clock_sample;

/* --------------------------------------------------------------------------------------- readings */

/* What a consumer must know before it trusts a reading: `flags`. */
enum {
    SENSORIUM_FLAG_SIMULATED = 1 << 0,      /* no device measured this */
    SENSORIUM_FLAG_SATURATED = 1 << 1,      /* a value is at the end of the device's range */
    SENSORIUM_FLAG_UNSCALED = 1 << 2,       /* raw counts: the device tells no scale */
    SENSORIUM_FLAG_UNTRUSTED_TIME = 1 << 3, /* the source does not yet trust its own time */
    SENSORIUM_FLAG_INTERPOLATED = 1 << 4    /* computed between two measurements */
};

/* How often the truth lies within an accuracy: members named `..._confidence`. */
enum {
    SENSORIUM_CONFIDENCE_UNSPECIFIED = 0,
    SENSORIUM_CONFIDENCE_50 = 1,   /* half of all readings; CEP for positions */
    SENSORIUM_CONFIDENCE_68 = 2,   /* 68 % of all readings */
    SENSORIUM_CONFIDENCE_DRMS = 3, /* distance root mean square */
    SENSORIUM_CONFIDENCE_95 = 4    /* 95 % of all readings */
};

/* Bits of `valid` in sensorium_motion, sensorium_scalar and sensorium_attitude. */
enum {
    SENSORIUM_VALID_VALUE = 1 << 0, /* x, y, z (and w), or the value; a reading without it is dropped */
    SENSORIUM_VALID_ACCURACY = 1 << 1
};

/* Acceleration (the specific force, gravity included), angular velocity or magnetic field in the
 * device frame: right-handed, x right, y up, z out of the screen. Units: see the kinds. 64 bytes. */
typedef struct sensorium_motion {
    sensorium_time time;
    uint32_t valid;
    uint16_t flags;
    uint8_t accuracy_confidence;
    uint8_t reserved;
    double x, y, z;
    double accuracy; /* of each axis, in the same unit, 0 or more */
} sensorium_motion;

/* One number. Units: see the kinds. 56 bytes. */
typedef struct sensorium_scalar {
    sensorium_time time;
    uint32_t valid;
    uint16_t flags;
    uint8_t accuracy_confidence;
    uint8_t reserved;
    uint32_t quantity; /* SENSORIUM_KIND_PRESSURE and so on; the kind of the batch */
    uint32_t reserved_2;
    double value;
    double accuracy; /* in the same unit, 0 or more */
} sensorium_scalar;

/* Bits of sensorium_location.valid. Latitude and longitude are always known: a receiver without a
 * fix reports a status, not a reading. */
enum {
    SENSORIUM_LOCATION_ALTITUDE_MSL = 1 << 0,
    SENSORIUM_LOCATION_ALTITUDE_ELLIPSOID = 1 << 1,
    SENSORIUM_LOCATION_HORIZONTAL_ACCURACY = 1 << 2,
    SENSORIUM_LOCATION_VERTICAL_ACCURACY = 1 << 3,
    SENSORIUM_LOCATION_SPEED = 1 << 4,
    SENSORIUM_LOCATION_SPEED_ACCURACY = 1 << 5,
    SENSORIUM_LOCATION_COURSE = 1 << 6,
    SENSORIUM_LOCATION_COURSE_ACCURACY = 1 << 7,
    SENSORIUM_LOCATION_CLIMB = 1 << 8,
    SENSORIUM_LOCATION_SATELLITES_USED = 1 << 9
};

/* sensorium_location.fix: how many dimensions the receiver solved for. */
enum { SENSORIUM_FIX_2D = 2, SENSORIUM_FIX_3D = 3 };

/* sensorium_location.quality: how the position was got. */
enum {
    SENSORIUM_QUALITY_UNKNOWN = 0,
    SENSORIUM_QUALITY_AUTONOMOUS = 1,   /* satellites alone */
    SENSORIUM_QUALITY_DIFFERENTIAL = 2, /* with corrections (DGPS, SBAS) */
    SENSORIUM_QUALITY_RTK_FIXED = 3,
    SENSORIUM_QUALITY_RTK_FLOAT = 4,
    SENSORIUM_QUALITY_DEAD_RECKONING = 5,
    SENSORIUM_QUALITY_COMBINED = 6, /* satellites and dead reckoning */
    SENSORIUM_QUALITY_SURVEYED = 7, /* a fixed position; only the time is measured */
    SENSORIUM_QUALITY_SIMULATED = 8,
    SENSORIUM_QUALITY_PRECISE = 9, /* the encrypted P(Y) signal */
    SENSORIUM_QUALITY_MANUAL = 10  /* typed in by hand */
};

/* A position on the WGS 84 ellipsoid. */
typedef struct sensorium_location {
    sensorium_time time;
    uint32_t valid;
    uint16_t flags;
    uint8_t fix;     /* SENSORIUM_FIX_... */
    uint8_t quality; /* SENSORIUM_QUALITY_... */
    uint8_t horizontal_confidence;
    uint8_t vertical_confidence;
    uint8_t speed_confidence;
    uint8_t course_confidence;
    uint32_t satellites_used;
    double latitude;            /* degrees, -90 to 90, north positive */
    double longitude;           /* degrees, -180 to 180, east positive */
    double altitude_msl;        /* metres above mean sea level (the geoid) */
    double altitude_ellipsoid;  /* metres above the ellipsoid */
    double horizontal_accuracy; /* metres, a radius */
    double vertical_accuracy;   /* metres, a half-width */
    double speed;               /* m/s over ground */
    double speed_accuracy;      /* m/s */
    double course;              /* degrees clockwise from true north: the way it moves */
    double course_accuracy;     /* degrees */
    double climb;               /* m/s, up positive */
} sensorium_location;

/* Bits of sensorium_satellite.valid. */
enum {
    SENSORIUM_SATELLITE_SYSTEM = 1 << 0,
    SENSORIUM_SATELLITE_ELEVATION = 1 << 1,
    SENSORIUM_SATELLITE_AZIMUTH = 1 << 2,
    SENSORIUM_SATELLITE_SIGNAL = 1 << 3,
    SENSORIUM_SATELLITE_HEALTH = 1 << 4
};

/* sensorium_satellite.system. The numbers are u-blox's gnssId, which gpsd uses too. */
enum {
    SENSORIUM_SYSTEM_GPS = 0,
    SENSORIUM_SYSTEM_SBAS = 1,
    SENSORIUM_SYSTEM_GALILEO = 2,
    SENSORIUM_SYSTEM_BEIDOU = 3,
    SENSORIUM_SYSTEM_IMES = 4,
    SENSORIUM_SYSTEM_QZSS = 5,
    SENSORIUM_SYSTEM_GLONASS = 6,
    SENSORIUM_SYSTEM_NAVIC = 7
};

/* One navigation satellite, as a receiver sees it. */
typedef struct sensorium_satellite {
    uint32_t valid;
    int32_t number; /* within its system, or the receiver's own where `system` is unknown */
    uint8_t system; /* SENSORIUM_SYSTEM_... */
    uint8_t used;   /* 1 where the solution uses it */
    uint8_t healthy; /* 1 where it says that it works */
    uint8_t reserved[5];
    double elevation; /* degrees above the horizon */
    double azimuth;   /* degrees clockwise from true north */
    double signal;    /* dB-Hz */
} sensorium_satellite;

/* Bits of sensorium_satellites.valid. */
enum {
    SENSORIUM_DILUTION_HORIZONTAL = 1 << 0,
    SENSORIUM_DILUTION_VERTICAL = 1 << 1,
    SENSORIUM_DILUTION_POSITION = 1 << 2,
    SENSORIUM_DILUTION_TIME = 1 << 3,
    SENSORIUM_DILUTION_GEOMETRIC = 1 << 4
};

/* The satellites that a receiver sees, at one time. */
typedef struct sensorium_satellites {
    sensorium_time time;
    uint32_t valid;
    uint16_t flags;
    uint16_t count;                     /* of in_view */
    const sensorium_satellite *in_view; /* lent; NULL where count is 0 */
    double horizontal_dilution;         /* dilutions of precision have no unit */
    double vertical_dilution;
    double position_dilution;
    double time_dilution;
    double geometric_dilution;
} sensorium_satellites;

/* Bits of sensorium_heading.valid; a reading without either of the first two is dropped. */
enum {
    SENSORIUM_HEADING_TRUE_NORTH = 1 << 0,
    SENSORIUM_HEADING_MAGNETIC_NORTH = 1 << 1,
    SENSORIUM_HEADING_DECLINATION = 1 << 2,
    SENSORIUM_HEADING_ACCURACY = 1 << 3
};

/* The way that the device points. Degrees clockwise from north, 0 to 360. */
typedef struct sensorium_heading {
    sensorium_time time;
    uint32_t valid;
    uint16_t flags;
    uint8_t accuracy_confidence;
    uint8_t reserved;
    double true_north;
    double magnetic_north;
    double declination; /* east positive: true = magnetic + declination */
    double accuracy;
} sensorium_heading;

/* How the device is turned: a quaternion from the device frame into the world frame (x east, y north,
 * z up). It need not have length 1, only a length above 0. */
typedef struct sensorium_attitude {
    sensorium_time time;
    uint32_t valid;
    uint16_t flags;
    uint8_t accuracy_confidence;
    uint8_t reserved;
    double w, x, y, z;
    double accuracy; /* radians */
} sensorium_attitude;

/* Bits of sensorium_touch.valid. */
enum {
    SENSORIUM_TOUCH_MILLIMETRES = 1 << 0, /* x_mm and y_mm */
    SENSORIUM_TOUCH_PRESSURE = 1 << 1
};

enum {
    SENSORIUM_TOUCH_BEGAN = 0,
    SENSORIUM_TOUCH_MOVED = 1,
    SENSORIUM_TOUCH_ENDED = 2,
    SENSORIUM_TOUCH_CANCELLED = 3
};

enum { SENSORIUM_TOOL_FINGER = 0, SENSORIUM_TOOL_PEN = 1 };

/* What one finger or pen did. Every "began" is followed by one "ended" or "cancelled". */
typedef struct sensorium_touch {
    sensorium_time time;
    uint32_t valid;
    uint16_t flags;
    uint8_t phase;      /* SENSORIUM_TOUCH_BEGAN, ... */
    uint8_t tool;       /* SENSORIUM_TOOL_... */
    int64_t touch;      /* the same from "began" to "ended", never again in a session */
    double x, y;        /* 0 (left, top) to 1 (right, bottom) of the surface as a user sees it */
    double x_mm, y_mm;  /* from the left and top edge */
    double pressure;    /* 0 to 1 */
    uint8_t ends_frame; /* 1 for the last event of those that happened at once */
    uint8_t reserved[7];
} sensorium_touch;

enum { SENSORIUM_KEY_RELEASED = 0, SENSORIUM_KEY_PRESSED = 1, SENSORIUM_KEY_REPEATED = 2 };

/* A key or button went down, up, or repeats. */
typedef struct sensorium_key {
    sensorium_time time;
    uint16_t flags;
    uint16_t code; /* linux/input-event-codes.h */
    uint8_t phase; /* SENSORIUM_KEY_PRESSED, ... */
    uint8_t reserved[3];
} sensorium_key;

enum { SENSORIUM_FRAME_SEQUENCE = 1 << 0 }; /* bits of sensorium_frame.valid */

enum { SENSORIUM_FRAME_END = 0, SENSORIUM_FRAME_EXPOSURE = 1 };

#define SENSORIUM_PLANES 4u

/* One plane of a frame. */
typedef struct sensorium_plane {
    uint64_t offset; /* from sensorium_frame.bytes */
    uint64_t length; /* in bytes; the last row may lack its padding */
    uint64_t stride; /* bytes from one row to the next; 0 for compressed formats */
} sensorium_plane;

/* One picture, lent. Whoever keeps it longer than the call calls `retain` during the call and
 * `release` once later, from any thread; the bytes do not change in between. Both are set, and both
 * may be called after the session is closed. Optical frame: z forward, x right, y down. */
typedef struct sensorium_frame {
    sensorium_time time;
    uint32_t valid;
    uint16_t flags;
    uint8_t time_reference; /* which moment `time` is: SENSORIUM_FRAME_END or ..._EXPOSURE */
    uint8_t plane_count;    /* 1 to SENSORIUM_PLANES */
    uint32_t width, height; /* pixels */
    uint32_t fourcc;        /* linux/videodev2.h, first character in the lowest byte */
    uint32_t sequence;      /* the device's count; a gap is a lost frame */
    const uint8_t *bytes;
    uint64_t length; /* of bytes; every plane lies within */
    sensorium_plane planes[SENSORIUM_PLANES];
    void *owner;
    void (*retain)(void *owner);
    void (*release)(void *owner);
} sensorium_frame;

#define SENSORIUM_BATCH_LIMIT 65536u

/* Readings of one kind, oldest first. */
typedef struct sensorium_batch {
    uint32_t size;
    uint32_t kind;
    uint32_t count;       /* 1 to SENSORIUM_BATCH_LIMIT */
    uint32_t stride;      /* bytes from one reading to the next, at least its size */
    const void *readings; /* aligned as the struct of the kind is */
} sensorium_batch;

/* ---------------------------------------------------------------------- failures, status, losses */

/* What can go wrong: sensorium_failure.code. */
enum {
    SENSORIUM_FAILURE_UNAVAILABLE = 1,  /* no such sensor, or what it stands on is not there */
    SENSORIUM_FAILURE_DENIED = 2,       /* this process may not use it */
    SENSORIUM_FAILURE_BUSY = 3,         /* somebody else holds the device */
    SENSORIUM_FAILURE_DISCONNECTED = 4, /* it was there and went away */
    SENSORIUM_FAILURE_TIMED_OUT = 5,    /* nothing came within `after_ns` */
    SENSORIUM_FAILURE_CANCELLED = 6,    /* whoever asked has gone */
    SENSORIUM_FAILURE_MALFORMED = 7,    /* what the device or daemon says cannot be understood */
    SENSORIUM_FAILURE_UNSUPPORTED = 8,  /* the sensor cannot do what was asked */
    SENSORIUM_FAILURE_INCOMPATIBLE = 9, /* versions that do not fit together */
    SENSORIUM_FAILURE_PLUGIN = 10       /* a fault of the plugin itself */
};

/* Why something failed, and what a person can do about it. */
typedef struct sensorium_failure {
    uint32_t size;
    uint32_t code;
    const char *sensor_id; /* NULL: the sensor that the call is about */
    const char *reason;    /* a clause: "gpsd at 127.0.0.1:2947 refused the connection" */
    const char *hint;      /* a clause: "is it running? (systemctl start gpsd)" */
    int64_t after_ns;      /* of SENSORIUM_FAILURE_TIMED_OUT, else 0 */
} sensorium_failure;

/* How a sensor does: sensorium_status.state. */
enum {
    SENSORIUM_STATE_WAITING = 0,     /* being opened, or waiting for its source */
    SENSORIUM_STATE_RUNNING = 1,     /* readings come, or will when there is something to measure */
    SENSORIUM_STATE_SEARCHING = 2,   /* connected, but nothing measured: no fix */
    SENSORIUM_STATE_STALE = 3,       /* nothing came for too long */
    SENSORIUM_STATE_RECONNECTING = 4 /* the source went away; the sensor tries to get it back */
};

typedef struct sensorium_status {
    uint32_t size;
    uint32_t state;
    const char *reason;
    const char *hint;
} sensorium_status;

/* Why readings are lost: sensorium_losses.reason. */
enum {
    SENSORIUM_LOSS_SLOW_CONSUMER = 0,
    SENSORIUM_LOSS_DEVICE = 1,      /* the device, its driver or its daemon dropped them */
    SENSORIUM_LOSS_MALFORMED = 2,   /* what came could not be understood */
    SENSORIUM_LOSS_IMPLAUSIBLE = 3, /* what came made no sense: not a number, out of range */
    SENSORIUM_LOSS_INJECTED = 4     /* a fault that a test injected */
};

typedef struct sensorium_losses {
    uint32_t size;
    uint32_t reason;
    uint64_t count; /* since the last call with this reason */
} sensorium_losses;

/* ---------------------------------------------------------------------------------- descriptions */

/* Where in a machine a sensor sits: sensorium_descriptor.placement. */
enum {
    SENSORIUM_PLACEMENT_UNKNOWN = 0,
    SENSORIUM_PLACEMENT_DISPLAY = 1, /* the lid of a laptop */
    SENSORIUM_PLACEMENT_BASE = 2,    /* the keyboard of a laptop */
    SENSORIUM_PLACEMENT_EXTERNAL = 3
};

/* Bits of sensorium_descriptor.valid. */
enum {
    SENSORIUM_DESCRIPTOR_RANGE = 1 << 0,
    SENSORIUM_DESCRIPTOR_RESOLUTION = 1 << 1,
    SENSORIUM_DESCRIPTOR_RATE_RANGE = 1 << 2, /* min_rate and max_rate; not together with rates */
    SENSORIUM_DESCRIPTOR_SIMULATED = 1 << 3,  /* it makes its readings up */
    SENSORIUM_DESCRIPTOR_PREFERRED = 1 << 4   /* the plugin's choice among its sensors of the kind */
};

/* What is known of a sensor before it is opened. */
typedef struct sensorium_descriptor {
    uint32_t size;
    uint32_t kind;
    const char *id;      /* "gpsd/location": the plugin's id, a slash, a name that is stable */
    const char *name;    /* for people */
    const char *vendor;  /* NULL where unknown */
    const char *needs;   /* what it stands on: "/dev/iio:device0"; NULL for nothing */
    uint32_t valid;
    uint32_t placement;
    double range;        /* the largest magnitude it measures, in the unit of its kind */
    double resolution;   /* the smallest difference it tells, in the unit of its kind */
    double min_rate;     /* hertz */
    double max_rate;     /* hertz */
    const double *rates; /* hertz, ascending: just these; NULL where rate_count is 0 */
    uint32_t rate_count;
    uint32_t reserved;
} sensorium_descriptor;

/* What a consumer would like of a sensor. */
typedef struct sensorium_request {
    uint32_t size;
    uint32_t keep_oldest;   /* 1: a full buffer drops what comes; 0: it drops the oldest */
    double rate;            /* hertz; 0 for what the sensor gives by itself */
    int64_t max_latency_ns; /* how long readings may be held back to come together; 0: at once */
    uint64_t capacity;      /* how many readings wait for a slow consumer, in the host */
} sensorium_request;

/* Whether this process may read a sensor. */
enum {
    SENSORIUM_AUTHORIZATION_NOT_DETERMINED = 0, /* nobody was asked yet */
    SENSORIUM_AUTHORIZATION_DENIED = 1,         /* it may not, and asking does not help */
    SENSORIUM_AUTHORIZATION_RESTRICTED = 2,     /* it may not, by a rule the user cannot change */
    SENSORIUM_AUTHORIZATION_AUTHORIZED = 3      /* it may */
};

/* -------------------------------------------------------------------------------------- callbacks */

/* Takes what one session delivers. The struct is copied by the plugin; `context` is valid until `close`
 * has completed, or until `open` has completed with a failure. Calls may come before `open` has
 * completed; none comes after `close` has. What is called in one order arrives in that order. */
typedef struct sensorium_receiver {
    uint32_t size;
    uint32_t reserved;
    void *context;
    void (*deliver)(void *context, const sensorium_batch *batch);
    void (*status)(void *context, const sensorium_status *status);
    void (*losses)(void *context, const sensorium_losses *losses);
    /* The readings are over, with a failure where that is why, else NULL. At most once, last; the
     * session must still be closed. */
    void (*finish)(void *context, const sensorium_failure *failure);
} sensorium_receiver;

/* Takes arrivals and departures. The struct is copied; `context` is valid until `unwatch` has completed. */
typedef struct sensorium_watcher {
    uint32_t size;
    uint32_t reserved;
    void *context;
    void (*arrived)(void *context, const sensorium_descriptor *descriptor);
    void (*departed)(void *context, const char *sensor_id);
} sensorium_watcher;

enum { SENSORIUM_LOG_DEBUG = 0, SENSORIUM_LOG_INFO = 1, SENSORIUM_LOG_WARNING = 2, SENSORIUM_LOG_ERROR = 3 };

/* What a host gives a plugin. Valid as long as the process; every function may be called from any
 * thread. A plugin reads no other clock and waits on no other, so that a test can drive it. */
typedef struct sensorium_host {
    uint32_t size;
    uint32_t boundary; /* SENSORIUM_BOUNDARY of the host */
    void *context;     /* the first argument of every function */
    /* CLOCK_BOOTTIME in nanoseconds, or a test's own. */
    int64_t (*now)(void *context);
    /* Reads the clock `domain` and boot time together. 1: `sample` is filled; 0: no such clock. */
    int32_t (*sample)(void *context, uint32_t domain, sensorium_clock_sample *sample);
    /* Tells people something; `level` is SENSORIUM_LOG_... */
    void (*log)(void *context, uint32_t level, const char *message);
    /* Writes the value of `key` ("gpsd.address") and a NUL to `buffer`, cut at `capacity` bytes.
     * Returns the length of the whole value without the NUL, or -1 where none is set. */
    int64_t (*configuration)(void *context, const char *key, char *buffer, size_t capacity);
    /* Calls `fire` once, at or soon after `instant_ns`, from any thread. Returns a token, never 0. */
    uint64_t (*wake_at)(void *context, int64_t instant_ns, void (*fire)(void *argument), void *argument);
    /* 1: `fire` will not be called. 0: it was called, or is about to be. */
    int32_t (*cancel_wake)(void *context, uint64_t token);
    /* Runs `work` once, soon, on the host's executor: work handed in earlier runs earlier, and never
     * inside this call. NULL where the host has none; then a plugin uses threads of its own. */
    void (*run)(void *context, void (*work)(void *argument), void *argument);
} sensorium_host;

/* ----------------------------------------------------------------------------------------- plugin */

typedef struct sensorium_instance sensorium_instance; /* a plugin at work; the plugin defines it */
typedef struct sensorium_session sensorium_session;   /* an open sensor; the plugin defines it */

/* Completions. `failure` is NULL where all went well. */
typedef void (*sensorium_started)(void *argument, sensorium_instance *instance, const sensorium_failure *failure);
typedef void (*sensorium_found)(void *argument, const sensorium_descriptor *descriptor);
typedef void (*sensorium_done)(void *argument, const sensorium_failure *failure);
/* `granted_rate` in hertz; 0 where the source decides or does not say. */
typedef void (*sensorium_opened)(void *argument, sensorium_session *session, double granted_rate, const sensorium_failure *failure);
typedef void (*sensorium_reconfigured)(void *argument, double granted_rate, const sensorium_failure *failure);
typedef void (*sensorium_closed)(void *argument);
typedef void (*sensorium_answered)(void *argument, uint32_t authorization);

/* What a plugin is. A constant that lives as long as the process; every function is set. */
typedef struct sensorium_plugin_table {
    uint32_t size;
    uint32_t boundary;   /* SENSORIUM_BOUNDARY */
    const char *id;      /* as in SENSORIUM_PLUGIN; lives as long as the table */
    const char *version; /* as in SENSORIUM_PLUGIN; lives as long as the table */
    void *context;       /* handed to `start` */

    /* Sets the plugin to work. A host may start it more than once, with another `host` each time. */
    void (*start)(void *context, const sensorium_host *host, sensorium_started started, void *argument);

    /* Calls `found` for each sensor that is there now, then `done`. A device or a daemon that is missing is
     * no failure: there are fewer sensors then. */
    void (*discover)(sensorium_instance *instance, sensorium_found found, sensorium_done done, void *argument);

    /* Tells of sensors that come and go after `done`, until `unwatch`. Called at most once before
     * `unwatch`; may come before `discover`. */
    void (*watch)(sensorium_instance *instance, const sensorium_watcher *watcher, sensorium_done done, void *argument);

    /* Tells no more. Nothing comes after `done`. */
    void (*unwatch)(sensorium_instance *instance, sensorium_done done, void *argument);

    /* Opens a sensor. Does not wait for the first reading: a daemon that is not there yet is a status.
     * `opened` gets either a session or a failure. */
    void (*open)(sensorium_instance *instance, const char *sensor_id, const sensorium_request *request,
                 const sensorium_receiver *receiver, sensorium_opened opened, void *argument);

    /* Changes the request while readings go on. After a failure they go on as they were. */
    void (*reconfigure)(sensorium_session *session, const sensorium_request *request,
                        sensorium_reconfigured reconfigured, void *argument);

    /* Ends a session, which is gone once `closed` is called; called once for each. A plugin with a
     * thread for the session tells it to end, and lets the thread call `closed`: joining it here would
     * block the caller, and four callers that block can stop a host. */
    void (*close)(sensorium_session *session, sensorium_closed closed, void *argument);

    /* SENSORIUM_AUTHORIZATION_..., at once, from what is known: asks nobody. */
    uint32_t (*authorization)(sensorium_instance *instance, const char *sensor_id);

    /* Asks for the right to read a sensor, where somebody can grant it. */
    void (*request_authorization)(sensorium_instance *instance, const char *sensor_id,
                                  sensorium_answered answered, void *argument);

    /* Ends everything. The host has closed every session and has unwatched before. The instance is
     * gone once `stopped` is called. */
    void (*stop)(sensorium_instance *instance, sensorium_closed stopped, void *argument);
} sensorium_plugin_table;

/* The one symbol that a host looks up, "sensorium_plugin": returns the table, or NULL. */
typedef const sensorium_plugin_table *(*sensorium_plugin_function)(void);

/* ------------------------------------------------------------------------------------------- note */

/* The ELF note in .note.sensorium, which a host reads before it lets any code of the file run. Its
 * name is "Sensorium" and its type is 1. The boundary version comes first and stays first. */
#define SENSORIUM_NOTE_TYPE 1u
#define SENSORIUM_NOTE_TEXT 32u

typedef struct sensorium_note {
    uint32_t name_size, description_size, type;
    char name[12];
    uint32_t boundary;
    uint32_t kinds_low, kinds_high; /* SENSORIUM_KIND_BIT of each kind of sensor it can have */
    char id[SENSORIUM_NOTE_TEXT];   /* a-z 0-9 - _ . and a NUL */
    char version[SENSORIUM_NOTE_TEXT];
} sensorium_note;

#ifdef __cplusplus
#define SENSORIUM_ASSERT(condition, text) static_assert(condition, text)
#define SENSORIUM_C_FUNCTION extern "C"
#else
#define SENSORIUM_ASSERT(condition, text) _Static_assert(condition, text)
#define SENSORIUM_C_FUNCTION
#endif

/* Writes the note alone. */
#define SENSORIUM_PLUGIN_NOTE(plugin_id, plugin_version, kinds)                                            \
    SENSORIUM_ASSERT(sizeof(plugin_id) <= SENSORIUM_NOTE_TEXT, "the plugin's id is too long");             \
    SENSORIUM_ASSERT(sizeof(plugin_version) <= SENSORIUM_NOTE_TEXT, "the plugin's version is too long");   \
    __attribute__((used, section(".note.sensorium"), aligned(4))) static const sensorium_note              \
        sensorium_plugin_note = {10, sizeof(sensorium_note) - 24, SENSORIUM_NOTE_TYPE, "Sensorium",        \
                                 SENSORIUM_BOUNDARY, (uint32_t)(kinds), (uint32_t)((uint64_t)(kinds) >> 32), \
                                 plugin_id, plugin_version}

/* Makes a shared library a plugin: writes the note, and exports sensorium_plugin, which returns what
 * `function` returns. `function` is a C function without arguments that returns the table, as a
 * `const void *` so that it can be written in Swift too. It becomes hidden, so that it cannot be taken for one
 * of the same name in the host. Once, at file scope, without a semicolon. */
#define SENSORIUM_PLUGIN(plugin_id, plugin_version, kinds, function)                                       \
    SENSORIUM_PLUGIN_NOTE(plugin_id, plugin_version, kinds);                                               \
    SENSORIUM_C_FUNCTION __attribute__((visibility("hidden"))) const void *function(void);                 \
    SENSORIUM_C_FUNCTION __attribute__((visibility("default"))) const sensorium_plugin_table *             \
    sensorium_plugin(void);                                                                                \
    SENSORIUM_C_FUNCTION const sensorium_plugin_table *sensorium_plugin(void) {                            \
        return (const sensorium_plugin_table *)function();                                                 \
    }

#ifdef __cplusplus
}
#endif

#endif /* SENSORIUM_PLUGIN_H */
