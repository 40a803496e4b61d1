/* What FMI 2.0 and 3.0 (https://fmi-standard.org) share: functions of the same form under both prefixes.
 *
 * The file that includes this one defines FMI(name), a name with the standard's prefix, and report(),
 * which passes the last message to the importer's log.
 */
#include <stdlib.h>
#include <string.h>

#include "core.h"

#if defined _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

/* Prototypes, so that strict compilers see every exported function declared. */
#define FUNCTION(type, name, arguments) \
    EXPORT type name arguments;         \
    type name arguments
/* A step of the standard's life of an instance for which there is nothing to do. */
#define NOTHING(name)                   \
    FUNCTION(Status, name, (void *c)) { \
        (void)c;                        \
        return OK;                      \
    }

typedef enum { OK, WARNING, DISCARD, ERROR, FATAL, PENDING } Status;

static void report(Instance *m, Status status);

static Status done(Instance *m, int failed, Status status) {
    if (!failed) return OK;
    report(m, status);
    return status;
}

FUNCTION(void, FMI(FreeInstance), (void *c)) {
    if (c == NULL) return;
    free(((Instance *)c)->logger);
    core_free(c);
}
FUNCTION(Status, FMI(Reset), (void *c)) {
    core_reset(c);
    return OK;
}
NOTHING(FMI(ExitInitializationMode))
NOTHING(FMI(EnterEventMode))
NOTHING(FMI(EnterContinuousTimeMode))
NOTHING(FMI(Terminate))

/* Values by reference, and from one reference on. */
static Status get_values(void *c, const unsigned references[], size_t count, double values[]) {
    for (size_t i = 0; i < count; i++) {
        if (core_get(c, references[i], &values[i]) != 0) return done(c, 1, DISCARD);
    }
    return OK;
}
static Status set_values(void *c, const unsigned references[], size_t count, const double values[]) {
    for (size_t i = 0; i < count; i++) {
        if (core_set(c, references[i], values[i]) != 0) return done(c, 1, ERROR);
    }
    return OK;
}
static Status get_derivatives(void *c, double rates[], size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (core_get(c, AT_RATE + i, &rates[i]) != 0) return done(c, 1, DISCARD);
    }
    return OK;
}

/* The whole state of an instance is its Values. */
static Status save_state(void *c, void **state) {
    return core_save(c, (Values **)state) == 0 ? OK : ERROR;
}
static Status restore_state(void *c, const void *state) {
    memcpy(&((Instance *)c)->values, state, sizeof(Values));
    return OK;
}
static Status free_state(void **state) {
    free(*state);
    *state = NULL;
    return OK;
}
static Status state_size(size_t *size) {
    *size = sizeof(Values);
    return OK;
}
static Status serialize_state(const void *state, void *bytes, size_t size) {
    if (size < sizeof(Values)) return ERROR;
    memcpy(bytes, state, sizeof(Values));
    return OK;
}
static Status deserialize_state(const void *bytes, size_t size, void **state) {
    if (size < sizeof(Values)) return ERROR;
    if (*state == NULL) *state = malloc(sizeof(Values));
    if (*state == NULL) return ERROR;
    memcpy(*state, bytes, sizeof(Values));
    return OK;
}

/* Model exchange */
FUNCTION(Status, FMI(SetTime), (void *c, double time)) {
    return done(c, core_set(c, AT_TIME, time), ERROR);
}
FUNCTION(Status, FMI(SetContinuousStates), (void *c, const double x[], size_t count)) {
    for (size_t i = 0; i < count && i < NX; i++) {
        if (core_set(c, AT_X + i, x[i]) != 0) return done(c, 1, DISCARD);
    }
    return count == NX ? OK : ERROR;
}
FUNCTION(Status, FMI(GetContinuousStates), (void *c, double x[], size_t count)) {
    if (count != NX) return ERROR;
    memcpy(x, &((Instance *)c)->values.v[AT_X], count * sizeof *x);
    return OK;
}
FUNCTION(Status, FMI(GetNominalsOfContinuousStates), (void *c, double nominals[], size_t count)) {
    (void)c;
    for (size_t i = 0; i < count; i++) nominals[i] = 1.0;
    return OK;
}
FUNCTION(Status, FMI(GetEventIndicators), (void *c, double indicators[], size_t count)) {
    (void)c, (void)indicators;
    return count == 0 ? OK : ERROR;
}
