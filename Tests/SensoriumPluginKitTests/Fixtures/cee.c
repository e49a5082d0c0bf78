/*
 * A whole plugin in C: a barometer that ticks on the host's clock, one sensor that comes and goes,
 * and one that must be asked first. Everything of the boundary is used once.
 *
 * Built with -DID="..." and -DVERSION="..." where a test needs more than one.
 */
#include <pthread.h>
#include <sensorium_plugin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef ID
#define ID "cee"
#endif
#ifndef VERSION
#define VERSION "1.0.0"
#endif

SENSORIUM_PLUGIN(ID, VERSION, SENSORIUM_KIND_BIT(SENSORIUM_KIND_PRESSURE), cee_plugin)

struct sensorium_instance {
    const sensorium_host *host;
    sensorium_watcher watcher;
    uint64_t arrival;
    int watching, authorized;
    pthread_mutex_t lock;
};

struct sensorium_session {
    sensorium_instance *plugin;
    sensorium_receiver to;
    pthread_mutex_t lock;
    int64_t due, period;
    uint64_t wake;
    sensorium_closed closed; /* set once it is to be closed */
    void *closed_argument;
};

static void start(void *context, const sensorium_host *host, sensorium_started started, void *argument) {
    (void)context;
    sensorium_instance *plugin = calloc(1, sizeof *plugin);
    plugin->host = host;
    pthread_mutex_init(&plugin->lock, NULL);
    char value[32] = "";
    int64_t length = host->configuration(host->context, ID ".greeting", value, sizeof value);
    char message[128];
    snprintf(message, sizeof message, "greeting %lld %s", (long long)length, value);
    host->log(host->context, SENSORIUM_LOG_INFO, message);
    started(argument, plugin, NULL);
}

static sensorium_descriptor describe(const char *id) {
    static const double rates[] = {1, 10, 50};
    sensorium_descriptor sensor;
    memset(&sensor, 0, sizeof sensor);
    sensor.size = sizeof sensor;
    sensor.kind = SENSORIUM_KIND_PRESSURE;
    sensor.id = id;
    sensor.name = "Barometer in C";
    sensor.valid = SENSORIUM_DESCRIPTOR_RANGE | SENSORIUM_DESCRIPTOR_SIMULATED;
    sensor.range = 120000;
    sensor.rates = rates;
    sensor.rate_count = 3;
    return sensor;
}

static void discover(sensorium_instance *plugin, sensorium_found found, sensorium_done done, void *argument) {
    (void)plugin;
    sensorium_descriptor sensor = describe(ID "/pressure");
    found(argument, &sensor);
    done(argument, NULL);
}

static void depart(void *p) {
    sensorium_instance *plugin = p;
    pthread_mutex_lock(&plugin->lock);
    if (plugin->watching) plugin->watcher.departed(plugin->watcher.context, ID "/guest");
    pthread_mutex_unlock(&plugin->lock);
}

static void arrive(void *p) {
    sensorium_instance *plugin = p;
    sensorium_descriptor sensor = describe(ID "/guest");
    pthread_mutex_lock(&plugin->lock);
    if (plugin->watching) {
        plugin->watcher.arrived(plugin->watcher.context, &sensor);
        int64_t now = plugin->host->now(plugin->host->context);
        plugin->arrival = plugin->host->wake_at(plugin->host->context, now + 1000000000, depart, plugin);
    }
    pthread_mutex_unlock(&plugin->lock);
}

static void watch(sensorium_instance *plugin, const sensorium_watcher *watcher, sensorium_done done, void *argument) {
    pthread_mutex_lock(&plugin->lock);
    plugin->watcher = *watcher;
    plugin->watching = 1;
    int64_t now = plugin->host->now(plugin->host->context);
    plugin->arrival = plugin->host->wake_at(plugin->host->context, now + 1000000000, arrive, plugin);
    pthread_mutex_unlock(&plugin->lock);
    done(argument, NULL);
}

static void unwatch(sensorium_instance *plugin, sensorium_done done, void *argument) {
    pthread_mutex_lock(&plugin->lock);
    plugin->watching = 0;
    plugin->host->cancel_wake(plugin->host->context, plugin->arrival);
    pthread_mutex_unlock(&plugin->lock);
    done(argument, NULL);
}

static void deliver(sensorium_session *session, double pascal) {
    const sensorium_host *host = session->plugin->host;
    sensorium_scalar reading;
    memset(&reading, 0, sizeof reading);
    reading.time.instant_ns = host->now(host->context);
    reading.time.uncertainty_s = 0.001f;
    sensorium_clock_sample utc;
    if (host->sample(host->context, SENSORIUM_CLOCK_REALTIME, &utc)) {
        reading.time.original_ns = utc.time_ns;
        reading.time.domain = SENSORIUM_CLOCK_REALTIME;
        reading.time.has_original = 1;
    }
    reading.valid = SENSORIUM_VALID_VALUE;
    reading.flags = SENSORIUM_FLAG_SIMULATED;
    reading.quantity = SENSORIUM_KIND_PRESSURE;
    reading.value = pascal;
    sensorium_batch batch = {sizeof batch, SENSORIUM_KIND_PRESSURE, 1, sizeof reading, &reading};
    session->to.deliver(session->to.context, &batch);
}

/* Called with the lock held; gives it back. */
static void finish(sensorium_session *session) {
    sensorium_closed closed = session->closed;
    void *argument = session->closed_argument;
    pthread_mutex_unlock(&session->lock);
    pthread_mutex_destroy(&session->lock);
    free(session);
    closed(argument);
}

static void tick(void *p) {
    sensorium_session *session = p;
    const sensorium_host *host = session->plugin->host;
    pthread_mutex_lock(&session->lock);
    if (session->closed) {
        finish(session); /* close() came too late to call this off */
        return;
    }
    deliver(session, 101325);
    session->due += session->period;
    session->wake = host->wake_at(host->context, session->due, tick, session);
    pthread_mutex_unlock(&session->lock);
}

static void open_sensor(sensorium_instance *plugin, const char *id, const sensorium_request *request,
                        const sensorium_receiver *to, sensorium_opened opened, void *argument) {
    if (request->rate > 50) {
        sensorium_failure failure = {sizeof failure, SENSORIUM_FAILURE_UNSUPPORTED, id,
                                     "it gives 50 readings a second at most", "ask for less", 0};
        opened(argument, NULL, 0, &failure);
        return;
    }
    sensorium_session *session = calloc(1, sizeof *session);
    session->plugin = plugin;
    session->to = *to;
    pthread_mutex_init(&session->lock, NULL);
    sensorium_status status = {sizeof status, SENSORIUM_STATE_RUNNING, "warm", NULL};
    to->status(to->context, &status);
    sensorium_losses losses = {sizeof losses, SENSORIUM_LOSS_DEVICE, 2};
    to->losses(to->context, &losses);
    deliver(session, 100000); /* before `opened`, which is allowed */
    double rate = request->rate > 0 ? request->rate : 10;
    session->period = (int64_t)(1e9 / rate);
    pthread_mutex_lock(&session->lock);
    session->due = plugin->host->now(plugin->host->context) + session->period;
    session->wake = plugin->host->wake_at(plugin->host->context, session->due, tick, session);
    pthread_mutex_unlock(&session->lock);
    opened(argument, session, rate, NULL);
}

static void reconfigure(sensorium_session *session, const sensorium_request *request,
                        sensorium_reconfigured reconfigured, void *argument) {
    pthread_mutex_lock(&session->lock);
    double rate = request->rate > 50 ? 50 : request->rate > 0 ? request->rate : 10;
    session->period = (int64_t)(1e9 / rate);
    pthread_mutex_unlock(&session->lock);
    reconfigured(argument, rate, NULL);
}

static void close_session(sensorium_session *session, sensorium_closed closed, void *argument) {
    const sensorium_host *host = session->plugin->host;
    pthread_mutex_lock(&session->lock);
    session->closed = closed;
    session->closed_argument = argument;
    session->to.finish(session->to.context, NULL);
    if (host->cancel_wake(host->context, session->wake))
        finish(session);
    else
        pthread_mutex_unlock(&session->lock); /* tick() finishes it */
}

static uint32_t authorization(sensorium_instance *plugin, const char *id) {
    (void)id;
    return plugin->authorized ? SENSORIUM_AUTHORIZATION_AUTHORIZED : SENSORIUM_AUTHORIZATION_NOT_DETERMINED;
}

static void request_authorization(sensorium_instance *plugin, const char *id, sensorium_answered answered,
                                  void *argument) {
    plugin->authorized = 1;
    answered(argument, authorization(plugin, id));
}

static void stop(sensorium_instance *plugin, sensorium_closed stopped, void *argument) {
    pthread_mutex_destroy(&plugin->lock);
    free(plugin);
    stopped(argument);
}

static const sensorium_plugin_table table = {
    sizeof table, SENSORIUM_BOUNDARY, ID,            VERSION,     NULL,          start,
    discover,     watch,              unwatch,       open_sensor, reconfigure,   close_session,
    authorization, request_authorization, stop};

const void *cee_plugin(void) { return &table; }
