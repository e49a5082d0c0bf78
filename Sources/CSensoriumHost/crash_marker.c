#define _GNU_SOURCE
#include "crash_marker.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MARKERS = 64, SIGNAL_STACK = 64 * 1024 };

static const struct {
    int number;
    char line[CRASH_MARKER_LINE + 1];
} crashes[] = {
    {SIGSEGV, "crashed SIGSEGV\n"}, {SIGBUS, "crashed SIGBUS \n"}, {SIGILL, "crashed SIGILL \n"},
    {SIGFPE, "crashed SIGFPE \n"},  {SIGTRAP, "crashed SIGTRAP\n"}, {SIGABRT, "crashed SIGABRT\n"},
    {SIGSYS, "crashed SIGSYS \n"},
};
enum { CRASHES = sizeof crashes / sizeof crashes[0] };

/* What the signal handler reads; written by one thread for each marker. */
static struct {
    atomic_int descriptor; /* of the marker, plus 1; 0 for none */
    atomic_int thread;     /* the one inside the plugin; 0 for none */
    /* Only the thread inside the plugin uses the rest. */
    void *stack;
    stack_t old_stack;
} markers[MARKERS];

/* Guards `watched` and `before`, and every change of the signal actions. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int watched;
static int exit_is_watched;
static struct sigaction before[CRASHES];

static int this_thread(void) { return (int)syscall(SYS_gettid); }

/* Only calls that signal-safety(7) lists. Returns how many markers were written. */
static int record(const char *line, int thread) {
    int written = 0;
    for (int i = 0; i < MARKERS; i++) {
        int descriptor = atomic_load(&markers[i].descriptor) - 1;
        if (descriptor < 0 || (thread != 0 && atomic_load(&markers[i].thread) != thread)) continue;
        ssize_t done;
        do {
            done = pwrite(descriptor, line, CRASH_MARKER_LINE, 0);
        } while (done < 0 && errno == EINTR);
        written++;
    }
    return written;
}

static void crashed(int number, siginfo_t *info, void *context) {
    (void)context;
    int saved = errno;
    for (int i = 0; i < CRASHES; i++) {
        if (crashes[i].number != number) continue;
        if (record(crashes[i].line, this_thread()) == 0) record(crashes[i].line, 0);
        sigaction(number, &before[i], NULL);
        /* A fault comes again by itself when this returns; a signal that was sent does not. */
        if (info->si_code <= 0) raise(number);
    }
    errno = saved;
}

/* A plugin that calls exit() in one of its first calls ends every host that tries it. */
static void exiting(void) { record("called exit()  \n", this_thread()); }

int crash_marker_begin(int descriptor) {
    if (descriptor < 0) return -1;
    void *stack = malloc(SIGNAL_STACK);
    if (stack == NULL) return -1;
    pthread_mutex_lock(&lock);
    int marker = 0;
    while (marker < MARKERS && atomic_load(&markers[marker].descriptor) != 0) marker++;
    if (marker == MARKERS) {
        pthread_mutex_unlock(&lock);
        free(stack);
        return -1;
    }
    if (!exit_is_watched) exit_is_watched = atexit(exiting) == 0;
    markers[marker].stack = stack;
    atomic_store(&markers[marker].thread, 0);
    atomic_store(&markers[marker].descriptor, descriptor + 1);
    if (watched++ == 0) {
        struct sigaction action;
        memset(&action, 0, sizeof action);
        action.sa_sigaction = crashed;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK;
        sigemptyset(&action.sa_mask);
        for (int i = 0; i < CRASHES; i++) sigaction(crashes[i].number, &action, &before[i]);
    }
    pthread_mutex_unlock(&lock);
    return marker;
}

void crash_marker_enter(int marker) {
    if (marker < 0 || marker >= MARKERS) return;
    stack_t none = {.ss_flags = SS_DISABLE};
    markers[marker].old_stack = none;
    if (sigaltstack(NULL, &none) == 0 && (none.ss_flags & SS_DISABLE)) {
        stack_t own = {.ss_sp = markers[marker].stack, .ss_size = SIGNAL_STACK};
        if (sigaltstack(&own, NULL) != 0) own.ss_sp = NULL;
        markers[marker].old_stack = own;
    }
    atomic_store(&markers[marker].thread, this_thread());
}

void crash_marker_leave(int marker) {
    if (marker < 0 || marker >= MARKERS) return;
    atomic_store(&markers[marker].thread, 0);
    if (markers[marker].old_stack.ss_sp != NULL) {
        stack_t none = {.ss_flags = SS_DISABLE};
        sigaltstack(&none, NULL);
    }
}

void crash_marker_end(int marker) {
    if (marker < 0 || marker >= MARKERS) return;
    pthread_mutex_lock(&lock);
    atomic_store(&markers[marker].descriptor, 0);
    void *stack = markers[marker].stack;
    markers[marker].stack = NULL;
    if (--watched == 0) {
        for (int i = 0; i < CRASHES; i++) {
            struct sigaction now;
            /* Somebody who took the signal meanwhile keeps it. */
            if (sigaction(crashes[i].number, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) &&
                now.sa_sigaction == crashed)
                sigaction(crashes[i].number, &before[i], NULL);
        }
    }
    pthread_mutex_unlock(&lock);
    free(stack);
}
