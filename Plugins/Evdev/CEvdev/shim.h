#include <libevdev/libevdev.h>
#include <sys/eventfd.h>

/* libevdev tells of odd devices on the standard error stream, which belongs to the app. */
static inline void cevdev_say_nothing(
    const struct libevdev *device, enum libevdev_log_priority priority, void *data, const char *file,
    int line, const char *function, const char *format, va_list arguments) {
    (void)device, (void)priority, (void)data, (void)file, (void)line, (void)function, (void)format;
    (void)arguments;
}

static inline void cevdev_silence(struct libevdev *device) {
    libevdev_set_device_log_function(device, cevdev_say_nothing, LIBEVDEV_LOG_ERROR, (void *)0);
}
