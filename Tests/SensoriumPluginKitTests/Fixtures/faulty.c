/*
 * Plugins that break the rules, one for each number in FAULT. What is not broken is as small as can be.
 */
#include <math.h>
#include <sensorium_plugin.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Macros, since the preprocessor asks for them. */
#define NO_NOTE 1
#define OTHER_BOUNDARY 2 /* in the note */
#define NO_TABLE 3
#define OTHER_TABLE 4 /* boundary version in the table */
#define SHORT_TABLE 5
#define NO_FUNCTION 6
#define OTHER_ID 7 /* in the table */
#define WILL_NOT_START 8
#define STARTS_NOTHING 9
#define NEVER_STARTS 10
#define NO_SYMBOL 11 /* a note, and no sensorium_plugin() */
#define UNDEFINED_SYMBOL 12
#define CRASHES_IN_CONSTRUCTOR 13
#define CRASHES_IN_START 14
#define CRASHES_IN_DISCOVER 15
#define OVERFLOWS_IN_DISCOVER 16
#define ABORTS_IN_DISCOVER 17
#define EXITS_IN_DISCOVER 18
#define HANGS_IN_DISCOVER 19
#define NEVER_DISCOVERS 20 /* the call returns, and that is all */
#define LIES 21 /* everything that it says is wrong */
#define NEVER_OPENS 22
#define NEVER_CLOSES 23
#define OPENS_NOTHING 24
#define MARKS_ITS_CONSTRUCTOR 25

#ifndef ID
#define ID "faulty"
#endif

#if FAULT == OTHER_BOUNDARY
#undef SENSORIUM_BOUNDARY
#define SENSORIUM_BOUNDARY 99u
#endif

#if FAULT == NO_NOTE || FAULT == MARKS_ITS_CONSTRUCTOR
#elif FAULT == NO_SYMBOL
SENSORIUM_PLUGIN_NOTE(ID, "1.0.0", 0);
#else
SENSORIUM_PLUGIN(ID, "1.0.0", SENSORIUM_KIND_BIT(SENSORIUM_KIND_PRESSURE), faulty_plugin)
#endif

struct sensorium_instance { int unused; };
struct sensorium_session { sensorium_receiver to; };
struct sensorium_instance the_instance;

#if FAULT == CRASHES_IN_CONSTRUCTOR
__attribute__((constructor)) static void constructor(void) { raise(SIGSEGV); }
#elif FAULT == MARKS_ITS_CONSTRUCTOR
__attribute__((constructor)) static void constructor(void) { mkdir(MARK, 0700); }
#elif FAULT == UNDEFINED_SYMBOL
int nowhere_to_be_found(void);
int call_it(void) { return nowhere_to_be_found(); }
#endif

static void start(void *context, const sensorium_host *host, sensorium_started started, void *argument) {
    (void)context, (void)host, (void)started, (void)argument;
#if FAULT == CRASHES_IN_START
    *(volatile int *)0 = 1;
#elif FAULT == WILL_NOT_START
    sensorium_failure failure = {sizeof failure, SENSORIUM_FAILURE_UNAVAILABLE, NULL, "its daemon is missing",
                                 "install it", 0};
    started(argument, NULL, &failure);
    started(argument, &the_instance, NULL);
#elif FAULT == STARTS_NOTHING
    started(argument, NULL, NULL);
#elif FAULT == NEVER_STARTS
    return;
#else
    started(argument, &the_instance, NULL);
    started(argument, &the_instance, NULL);
#endif
}

#if FAULT == OVERFLOWS_IN_DISCOVER
static int endless(int depth) {
    volatile char page[4096];
    page[0] = (char)depth;
    if (depth < 0) return 0; /* never */
    return endless(depth + 1) + page[0];
}
#endif

static void discover(sensorium_instance *instance, sensorium_found found, sensorium_done done, void *argument) {
    (void)instance;
#if FAULT == CRASHES_IN_DISCOVER
    *(volatile int *)0 = 1;
#elif FAULT == OVERFLOWS_IN_DISCOVER
    endless(0);
#elif FAULT == ABORTS_IN_DISCOVER
    abort();
#elif FAULT == EXITS_IN_DISCOVER
    exit(0);
#elif FAULT == HANGS_IN_DISCOVER
    for (;;) sigsuspend(&(sigset_t){0});
#elif FAULT == NEVER_DISCOVERS
    return;
#endif
    sensorium_descriptor sensor;
    memset(&sensor, 0, sizeof sensor);
    sensor.size = sizeof sensor;
    sensor.kind = SENSORIUM_KIND_PRESSURE;
    sensor.id = ID "/pressure";
#if FAULT == LIES
    static const double rates[] = {-1, 0, NAN, INFINITY, 50, 1e300, 10};
    found(argument, NULL);
    sensor.kind = 63;
    found(argument, &sensor);
    sensor.kind = SENSORIUM_KIND_PRESSURE;
    sensor.id = "somebody/else";
    found(argument, &sensor);
    sensor.id = ID "/";
    found(argument, &sensor);
    sensor.id = NULL;
    found(argument, &sensor);
    sensor.id = ID "/pressure";
    sensor.size = 8;
    found(argument, &sensor);
    sensor.size = sizeof sensor;
    sensor.name = "bar\xff\xfeometer";
    sensor.vendor = "";
    sensor.valid = ~0u;
    sensor.placement = 1u << 31;
    sensor.range = NAN;
    sensor.resolution = INFINITY;
    sensor.min_rate = 10;
    sensor.max_rate = -10;
    sensor.rates = rates;
    sensor.rate_count = 7;
#endif
    found(argument, &sensor);
    done(argument, NULL);
    done(argument, NULL);
    found(argument, &sensor);
}

static void watch(sensorium_instance *instance, const sensorium_watcher *watcher, sensorium_done done, void *argument) {
    (void)instance, (void)watcher;
    done(argument, NULL);
}

static void unwatch(sensorium_instance *instance, sensorium_done done, void *argument) {
    (void)instance;
    done(argument, NULL);
}

static sensorium_scalar reading(double value) {
    sensorium_scalar scalar;
    memset(&scalar, 0, sizeof scalar);
    scalar.time.instant_ns = 1;
    scalar.time.uncertainty_s = NAN;
    scalar.valid = SENSORIUM_VALID_VALUE;
    scalar.quantity = SENSORIUM_KIND_PRESSURE;
    scalar.value = value;
    return scalar;
}

static void lie(const sensorium_receiver *to) {
    sensorium_scalar scalars[6];
    for (int i = 0; i < 6; i++) scalars[i] = reading(i);
    sensorium_batch batch = {sizeof batch, SENSORIUM_KIND_PRESSURE, 6, sizeof scalars[0], scalars};
    sensorium_batch wrong = batch;
    to->deliver(to->context, NULL);
    wrong.readings = NULL, to->deliver(to->context, &wrong), wrong = batch;
    wrong.count = 0, to->deliver(to->context, &wrong), wrong = batch;
    wrong.count = ~0u, to->deliver(to->context, &wrong), wrong = batch;
    wrong.stride = 55, to->deliver(to->context, &wrong), wrong = batch;
    wrong.size = 4, to->deliver(to->context, &wrong), wrong = batch;
    wrong.kind = SENSORIUM_KIND_LOCATION, to->deliver(to->context, &wrong), wrong = batch;
    scalars[0].value = NAN;
    scalars[1].value = INFINITY;
    scalars[2].valid = 0;
    scalars[3].quantity = SENSORIUM_KIND_HUMIDITY;
    memset(&scalars[4].time, 0xff, sizeof scalars[4].time);
    scalars[4].flags = 0xffff;
    scalars[4].valid = ~0u;
    scalars[4].accuracy = -1;
    scalars[4].accuracy_confidence = 200;
    to->deliver(to->context, &batch);
    sensorium_status status = {sizeof status, SENSORIUM_STATE_STALE, "\xc3(", NULL};
    to->status(to->context, &status);
    status.state = 1000;
    to->status(to->context, &status);
    to->status(to->context, NULL);
    sensorium_losses losses = {sizeof losses, 77, UINT64_MAX};
    to->losses(to->context, NULL);
    losses.count = 0, to->losses(to->context, &losses);
    losses.count = 5, to->losses(to->context, &losses);
}

static void open_sensor(sensorium_instance *instance, const char *id, const sensorium_request *request,
                        const sensorium_receiver *to, sensorium_opened opened, void *argument) {
    (void)instance, (void)id, (void)request;
#if FAULT == NEVER_OPENS
    return;
#elif FAULT == OPENS_NOTHING
    opened(argument, NULL, 0, NULL);
    return;
#endif
    sensorium_session *session = malloc(sizeof *session);
    session->to = *to;
    if (FAULT == LIES) lie(to);
    opened(argument, session, FAULT == LIES ? NAN : 10, NULL);
    opened(argument, session, 20, NULL);
}

static void reconfigure(sensorium_session *session, const sensorium_request *request,
                        sensorium_reconfigured reconfigured, void *argument) {
    (void)session, (void)request;
    sensorium_failure failure = {sizeof failure, 4711, "", NULL, NULL, -1};
    reconfigured(argument, 10, &failure);
    reconfigured(argument, 20, NULL);
}

static void close_session(sensorium_session *session, sensorium_closed closed, void *argument) {
#if FAULT == NEVER_CLOSES
    (void)closed, (void)argument;
    return;
#endif
    closed(argument);
    closed(argument);
    sensorium_scalar late = reading(1);
    sensorium_batch batch = {sizeof batch, SENSORIUM_KIND_PRESSURE, 1, sizeof late, &late};
    session->to.deliver(session->to.context, &batch);
    session->to.finish(session->to.context, NULL);
    free(session);
}

static uint32_t authorization(sensorium_instance *instance, const char *id) {
    (void)instance, (void)id;
    return FAULT == LIES ? 1000 : SENSORIUM_AUTHORIZATION_AUTHORIZED;
}

static void request_authorization(sensorium_instance *instance, const char *id, sensorium_answered answered,
                                  void *argument) {
    answered(argument, authorization(instance, id));
    answered(argument, SENSORIUM_AUTHORIZATION_DENIED);
}

static void stop(sensorium_instance *instance, sensorium_closed stopped, void *argument) {
    (void)instance;
    stopped(argument);
    stopped(argument);
}

static const sensorium_plugin_table table = {
    FAULT == SHORT_TABLE ? 8 : sizeof table,
    FAULT == OTHER_TABLE ? 99u : SENSORIUM_BOUNDARY,
    FAULT == OTHER_ID ? "other" : ID,
    "1.0.0",
    NULL,
    start,
    discover,
    watch,
    unwatch,
    open_sensor,
    reconfigure,
    FAULT == NO_FUNCTION ? NULL : close_session,
    authorization,
    request_authorization,
    stop};

const void *faulty_plugin(void) { return FAULT == NO_TABLE ? NULL : &table; }
