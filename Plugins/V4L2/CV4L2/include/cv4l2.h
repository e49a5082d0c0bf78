/* What Swift cannot import of linux/videodev2.h: ioctl numbers, unions, and the difference between
 * single- and multi-planar calls. Every function returns 0 or more, or a negative error number; none
 * is interrupted by signals. */
#ifndef CV4L2_H
#define CV4L2_H

#include <stdint.h>

/* What a node says of itself. */
typedef struct cv4l2_capability {
    char driver[17];
    char card[33];
    char bus[33];
    uint32_t node; /* V4L2_CAP_... of this node, not of the whole device */
} cv4l2_capability;

/* A picture format; planes is the number of separate memory planes. */
typedef struct cv4l2_format {
    uint32_t width, height, fourcc, bytes_per_line, image_size, planes;
} cv4l2_format;

/* A size, or a range of them. */
typedef struct cv4l2_size {
    uint32_t is_range;
    uint32_t min_width, max_width, step_width;
    uint32_t min_height, max_height, step_height;
} cv4l2_size;

/* The time between two frames, or a range of them, in seconds. */
typedef struct cv4l2_interval {
    uint32_t is_range;
    uint32_t min_numerator, min_denominator;
    uint32_t max_numerator, max_denominator;
} cv4l2_interval;

/* A buffer that holds a frame, or that is to be mapped. */
typedef struct cv4l2_buffer {
    uint32_t index;
    uint32_t bytes_used;
    uint32_t length;
    uint32_t data_offset; /* where the picture begins */
    uint32_t map_offset;  /* for mmap */
    uint32_t flags;
    uint32_t sequence;
    int64_t seconds, microseconds;
} cv4l2_buffer;

enum {
    CV4L2_CAP_CAPTURE = 0x00000001,
    CV4L2_CAP_CAPTURE_MULTIPLANAR = 0x00001000,
    CV4L2_CAP_STREAMING = 0x04000000,

    CV4L2_FLAG_ERROR = 0x00000040,
    CV4L2_FLAG_STAMP_MASK = 0x0000e000,
    CV4L2_FLAG_STAMP_MONOTONIC = 0x00002000,
    CV4L2_FLAG_STAMP_COPY = 0x00004000,
    CV4L2_FLAG_SOURCE_MASK = 0x00070000,
    CV4L2_FLAG_SOURCE_EXPOSURE = 0x00010000
};

int cv4l2_open(const char *path); /* the descriptor: close-on-exec, and calls do not wait */
int cv4l2_wake(void);             /* an eventfd */

int cv4l2_query(int fd, cv4l2_capability *capability);
int cv4l2_enum_format(int fd, int multiplanar, uint32_t index, uint32_t *fourcc);
int cv4l2_enum_size(int fd, uint32_t fourcc, uint32_t index, cv4l2_size *size);
int cv4l2_enum_interval(int fd, uint32_t fourcc, uint32_t width, uint32_t height, uint32_t index,
                        cv4l2_interval *interval);

/* Asks for width, height and fourcc, and tells what came of it. */
int cv4l2_set_format(int fd, int multiplanar, cv4l2_format *format);
int cv4l2_get_format(int fd, int multiplanar, cv4l2_format *format);
/* -ENOTTY where the driver has no say in its rate. */
int cv4l2_set_interval(int fd, int multiplanar, uint32_t numerator, uint32_t denominator);
int cv4l2_get_interval(int fd, int multiplanar, uint32_t *numerator, uint32_t *denominator);

int cv4l2_request_buffers(int fd, int multiplanar, uint32_t *count);
int cv4l2_query_buffer(int fd, int multiplanar, uint32_t index, cv4l2_buffer *buffer);
int cv4l2_queue(int fd, int multiplanar, uint32_t index);
int cv4l2_dequeue(int fd, int multiplanar, cv4l2_buffer *buffer);
int cv4l2_stream(int fd, int multiplanar, int on);

#endif
