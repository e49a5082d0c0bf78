#include "cv4l2.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>

#include <linux/videodev2.h>

_Static_assert(CV4L2_CAP_CAPTURE == V4L2_CAP_VIDEO_CAPTURE, "a wrong number");
_Static_assert(CV4L2_CAP_CAPTURE_MULTIPLANAR == V4L2_CAP_VIDEO_CAPTURE_MPLANE, "a wrong number");
_Static_assert(CV4L2_CAP_STREAMING == V4L2_CAP_STREAMING, "a wrong number");
_Static_assert(CV4L2_FLAG_ERROR == V4L2_BUF_FLAG_ERROR, "a wrong number");
_Static_assert(CV4L2_FLAG_STAMP_MASK == V4L2_BUF_FLAG_TIMESTAMP_MASK, "a wrong number");
_Static_assert(CV4L2_FLAG_STAMP_MONOTONIC == V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC, "a wrong number");
_Static_assert(CV4L2_FLAG_STAMP_COPY == V4L2_BUF_FLAG_TIMESTAMP_COPY, "a wrong number");
_Static_assert(CV4L2_FLAG_SOURCE_MASK == V4L2_BUF_FLAG_TSTAMP_SRC_MASK, "a wrong number");
_Static_assert(CV4L2_FLAG_SOURCE_EXPOSURE == V4L2_BUF_FLAG_TSTAMP_SRC_SOE, "a wrong number");

static int call(int fd, unsigned long request, void *argument) {
    int status;
    do {
        status = ioctl(fd, request, argument);
    } while (status < 0 && errno == EINTR);
    return status < 0 ? -errno : status;
}

static uint32_t type_of(int multiplanar) {
    return multiplanar ? V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE : V4L2_BUF_TYPE_VIDEO_CAPTURE;
}

int cv4l2_open(const char *path) {
    int fd;
    do {
        fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    } while (fd < 0 && errno == EINTR);
    return fd < 0 ? -errno : fd;
}

int cv4l2_wake(void) {
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return fd < 0 ? -errno : fd;
}

int cv4l2_query(int fd, cv4l2_capability *capability) {
    struct v4l2_capability answer;
    memset(&answer, 0, sizeof answer);
    int status = call(fd, VIDIOC_QUERYCAP, &answer);
    if (status < 0) return status;
    memset(capability, 0, sizeof *capability);
    memcpy(capability->driver, answer.driver, sizeof answer.driver);
    memcpy(capability->card, answer.card, sizeof answer.card);
    memcpy(capability->bus, answer.bus_info, sizeof answer.bus_info);
    capability->node = answer.capabilities & V4L2_CAP_DEVICE_CAPS ? answer.device_caps
                                                                  : answer.capabilities;
    return 0;
}

int cv4l2_enum_format(int fd, int multiplanar, uint32_t index, uint32_t *fourcc) {
    struct v4l2_fmtdesc answer;
    memset(&answer, 0, sizeof answer);
    answer.index = index;
    answer.type = type_of(multiplanar);
    int status = call(fd, VIDIOC_ENUM_FMT, &answer);
    if (status < 0) return status;
    *fourcc = answer.pixelformat;
    return 0;
}

int cv4l2_enum_size(int fd, uint32_t fourcc, uint32_t index, cv4l2_size *size) {
    struct v4l2_frmsizeenum answer;
    memset(&answer, 0, sizeof answer);
    answer.index = index;
    answer.pixel_format = fourcc;
    int status = call(fd, VIDIOC_ENUM_FRAMESIZES, &answer);
    if (status < 0) return status;
    memset(size, 0, sizeof *size);
    if (answer.type == V4L2_FRMSIZE_TYPE_DISCRETE) {
        size->min_width = size->max_width = answer.discrete.width;
        size->min_height = size->max_height = answer.discrete.height;
        size->step_width = size->step_height = 1;
    } else {
        size->is_range = 1;
        size->min_width = answer.stepwise.min_width;
        size->max_width = answer.stepwise.max_width;
        size->step_width = answer.stepwise.step_width;
        size->min_height = answer.stepwise.min_height;
        size->max_height = answer.stepwise.max_height;
        size->step_height = answer.stepwise.step_height;
    }
    return 0;
}

int cv4l2_enum_interval(int fd, uint32_t fourcc, uint32_t width, uint32_t height, uint32_t index,
                        cv4l2_interval *interval) {
    struct v4l2_frmivalenum answer;
    memset(&answer, 0, sizeof answer);
    answer.index = index;
    answer.pixel_format = fourcc;
    answer.width = width;
    answer.height = height;
    int status = call(fd, VIDIOC_ENUM_FRAMEINTERVALS, &answer);
    if (status < 0) return status;
    memset(interval, 0, sizeof *interval);
    if (answer.type == V4L2_FRMIVAL_TYPE_DISCRETE) {
        interval->min_numerator = interval->max_numerator = answer.discrete.numerator;
        interval->min_denominator = interval->max_denominator = answer.discrete.denominator;
    } else {
        interval->is_range = 1;
        interval->min_numerator = answer.stepwise.min.numerator;
        interval->min_denominator = answer.stepwise.min.denominator;
        interval->max_numerator = answer.stepwise.max.numerator;
        interval->max_denominator = answer.stepwise.max.denominator;
    }
    return 0;
}

static void flatten(int multiplanar, const struct v4l2_format *from, cv4l2_format *to) {
    memset(to, 0, sizeof *to);
    if (multiplanar) {
        to->width = from->fmt.pix_mp.width;
        to->height = from->fmt.pix_mp.height;
        to->fourcc = from->fmt.pix_mp.pixelformat;
        to->bytes_per_line = from->fmt.pix_mp.plane_fmt[0].bytesperline;
        to->image_size = from->fmt.pix_mp.plane_fmt[0].sizeimage;
        to->planes = from->fmt.pix_mp.num_planes;
    } else {
        to->width = from->fmt.pix.width;
        to->height = from->fmt.pix.height;
        to->fourcc = from->fmt.pix.pixelformat;
        to->bytes_per_line = from->fmt.pix.bytesperline;
        to->image_size = from->fmt.pix.sizeimage;
        to->planes = 1;
    }
}

int cv4l2_get_format(int fd, int multiplanar, cv4l2_format *format) {
    struct v4l2_format answer;
    memset(&answer, 0, sizeof answer);
    answer.type = type_of(multiplanar);
    int status = call(fd, VIDIOC_G_FMT, &answer);
    if (status < 0) return status;
    flatten(multiplanar, &answer, format);
    return 0;
}

int cv4l2_set_format(int fd, int multiplanar, cv4l2_format *format) {
    struct v4l2_format answer;
    memset(&answer, 0, sizeof answer);
    answer.type = type_of(multiplanar);
    if (multiplanar) {
        answer.fmt.pix_mp.width = format->width;
        answer.fmt.pix_mp.height = format->height;
        answer.fmt.pix_mp.pixelformat = format->fourcc;
        answer.fmt.pix_mp.field = V4L2_FIELD_NONE;
        answer.fmt.pix_mp.num_planes = 1;
    } else {
        answer.fmt.pix.width = format->width;
        answer.fmt.pix.height = format->height;
        answer.fmt.pix.pixelformat = format->fourcc;
        answer.fmt.pix.field = V4L2_FIELD_NONE;
    }
    int status = call(fd, VIDIOC_S_FMT, &answer);
    if (status < 0) return status;
    flatten(multiplanar, &answer, format);
    return 0;
}

int cv4l2_set_interval(int fd, int multiplanar, uint32_t numerator, uint32_t denominator) {
    struct v4l2_streamparm answer;
    memset(&answer, 0, sizeof answer);
    answer.type = type_of(multiplanar);
    answer.parm.capture.timeperframe.numerator = numerator;
    answer.parm.capture.timeperframe.denominator = denominator;
    return call(fd, VIDIOC_S_PARM, &answer);
}

int cv4l2_get_interval(int fd, int multiplanar, uint32_t *numerator, uint32_t *denominator) {
    struct v4l2_streamparm answer;
    memset(&answer, 0, sizeof answer);
    answer.type = type_of(multiplanar);
    int status = call(fd, VIDIOC_G_PARM, &answer);
    if (status < 0) return status;
    *numerator = answer.parm.capture.timeperframe.numerator;
    *denominator = answer.parm.capture.timeperframe.denominator;
    return 0;
}

int cv4l2_request_buffers(int fd, int multiplanar, uint32_t *count) {
    struct v4l2_requestbuffers answer;
    memset(&answer, 0, sizeof answer);
    answer.count = *count;
    answer.type = type_of(multiplanar);
    answer.memory = V4L2_MEMORY_MMAP;
    int status = call(fd, VIDIOC_REQBUFS, &answer);
    if (status < 0) return status;
    *count = answer.count;
    return 0;
}

/* Does one of the calls that take a buffer. */
static int call_buffer(int fd, int multiplanar, unsigned long request, uint32_t index,
                       cv4l2_buffer *buffer) {
    struct v4l2_buffer answer;
    struct v4l2_plane planes[VIDEO_MAX_PLANES];
    memset(&answer, 0, sizeof answer);
    memset(planes, 0, sizeof planes);
    answer.index = index;
    answer.type = type_of(multiplanar);
    answer.memory = V4L2_MEMORY_MMAP;
    if (multiplanar) {
        answer.m.planes = planes;
        /* A camera of one memory plane takes an array that has room for more, except for queueing. */
        answer.length = request == VIDIOC_QBUF ? 1 : VIDEO_MAX_PLANES;
    }
    int status = call(fd, request, &answer);
    if (status < 0 || !buffer) return status;
    memset(buffer, 0, sizeof *buffer);
    buffer->index = answer.index;
    buffer->flags = answer.flags;
    buffer->sequence = answer.sequence;
    buffer->seconds = answer.timestamp.tv_sec;
    buffer->microseconds = answer.timestamp.tv_usec;
    if (multiplanar) {
        buffer->bytes_used = planes[0].bytesused;
        buffer->length = planes[0].length;
        buffer->data_offset = planes[0].data_offset;
        buffer->map_offset = planes[0].m.mem_offset;
    } else {
        buffer->bytes_used = answer.bytesused;
        buffer->length = answer.length;
        buffer->map_offset = answer.m.offset;
    }
    return 0;
}

int cv4l2_query_buffer(int fd, int multiplanar, uint32_t index, cv4l2_buffer *buffer) {
    return call_buffer(fd, multiplanar, VIDIOC_QUERYBUF, index, buffer);
}

int cv4l2_queue(int fd, int multiplanar, uint32_t index) {
    return call_buffer(fd, multiplanar, VIDIOC_QBUF, index, 0);
}

int cv4l2_dequeue(int fd, int multiplanar, cv4l2_buffer *buffer) {
    return call_buffer(fd, multiplanar, VIDIOC_DQBUF, 0, buffer);
}

int cv4l2_stream(int fd, int multiplanar, int on) {
    int type = (int)type_of(multiplanar);
    return call(fd, on ? VIDIOC_STREAMON : VIDIOC_STREAMOFF, &type);
}
