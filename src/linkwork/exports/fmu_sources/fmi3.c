/* FMI 3.0: the functions of the standard (https://fmi-standard.org), declared here as far as needed. */
#include <stdbool.h>
#include <stdint.h>

#define FMI(name) fmi3##name
#include "fmi.h"

typedef void (*Logger)(void *, Status, const char *, const char *);
typedef void (*Callback)(void);

/* A pointer to a function cannot be kept in a pointer to data: this holds it. */
typedef struct {
    Logger log;
} Kept;

static void report(Instance *m, Status status) {
    const Kept *kept = m->logger;
    if (kept != NULL && kept->log != NULL) kept->log(m->environment, status, "logStatusDiscard", m->message);
}

FUNCTION(const char *, fmi3GetVersion, (void)) {
    return "3.0";
}
FUNCTION(Status, fmi3SetDebugLogging, (void *c, bool on, size_t n, const char *const categories[])) {
    (void)c, (void)on, (void)n, (void)categories;
    return OK;
}
static void *instantiate(const char *name, const char *token, void *environment, Logger log) {
    Kept *kept = malloc(sizeof *kept);
    if (kept == NULL) return NULL;
    kept->log = log;
    Instance *m = core_new(name, token, kept, environment);
    if (m == NULL) {
        if (log != NULL) log(environment, ERROR, "logStatusError", "the token does not fit this FMU");
        free(kept);
    }
    return m;
}
FUNCTION(void *, fmi3InstantiateModelExchange,
    (const char *name, const char *token, const char *resources, bool visible, bool logging,
        void *environment, Logger log)) {
    (void)resources, (void)visible, (void)logging;
    return instantiate(name, token, environment, log);
}
FUNCTION(void *, fmi3InstantiateCoSimulation,
    (const char *name, const char *token, const char *resources, bool visible, bool logging, bool events,
        bool early, const unsigned required[], size_t count, void *environment, Logger log,
        Callback update)) {
    (void)resources, (void)visible, (void)logging, (void)events, (void)early, (void)required, (void)count;
    (void)update;
    return instantiate(name, token, environment, log);
}
FUNCTION(void *, fmi3InstantiateScheduledExecution,
    (const char *name, const char *token, const char *resources, bool visible, bool logging,
        void *environment, Logger log, Callback update, Callback lock, Callback unlock)) {
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)environment, (void)log;
    (void)update, (void)lock, (void)unlock;
    return NULL;
}
FUNCTION(Status, fmi3EnterInitializationMode,
    (void *c, bool tolerance_defined, double tolerance, double start, bool stop_defined, double stop)) {
    (void)tolerance_defined, (void)tolerance, (void)stop_defined, (void)stop;
    return done(c, core_set(c, AT_TIME, start), ERROR);
}
NOTHING(fmi3EnterConfigurationMode)
NOTHING(fmi3ExitConfigurationMode)
NOTHING(fmi3EvaluateDiscreteStates)
NOTHING(fmi3EnterStepMode)

FUNCTION(Status, fmi3GetFloat64,
    (void *c, const unsigned references[], size_t count, double values[], size_t value_count)) {
    return count == value_count ? get_values(c, references, count, values) : ERROR;
}
FUNCTION(Status, fmi3SetFloat64,
    (void *c, const unsigned references[], size_t count, const double values[], size_t value_count)) {
    return count == value_count ? set_values(c, references, count, values) : ERROR;
}
/* There are no variables of other types. */
#define NONE(kind, type)                                                                              \
    FUNCTION(Status, fmi3Get##kind, (void *c, const unsigned r[], size_t n, type values[], size_t m)) { \
        (void)c, (void)r, (void)values, (void)m;                                                      \
        return n == 0 ? OK : ERROR;                                                                   \
    }                                                                                                 \
    FUNCTION(                                                                                         \
        Status, fmi3Set##kind, (void *c, const unsigned r[], size_t n, const type values[], size_t m)) { \
        (void)c, (void)r, (void)values, (void)m;                                                      \
        return n == 0 ? OK : ERROR;                                                                   \
    }
typedef const char *String;
NONE(Float32, float)
NONE(Int8, int8_t)
NONE(UInt8, uint8_t)
NONE(Int16, int16_t)
NONE(UInt16, uint16_t)
NONE(Int32, int32_t)
NONE(UInt32, uint32_t)
NONE(Int64, int64_t)
NONE(UInt64, uint64_t)
NONE(Boolean, bool)
NONE(String, String)
FUNCTION(Status, fmi3GetBinary,
    (void *c, const unsigned r[], size_t n, size_t sizes[], const unsigned char *values[], size_t m)) {
    (void)c, (void)r, (void)sizes, (void)values, (void)m;
    return n == 0 ? OK : ERROR;
}
FUNCTION(Status, fmi3SetBinary,
    (void *c, const unsigned r[], size_t n, const size_t sizes[], const unsigned char *const values[],
        size_t m)) {
    (void)c, (void)r, (void)sizes, (void)values, (void)m;
    return n == 0 ? OK : ERROR;
}
FUNCTION(Status, fmi3GetClock, (void *c, const unsigned r[], size_t n, bool values[])) {
    (void)c, (void)r, (void)values;
    return n == 0 ? OK : ERROR;
}
FUNCTION(Status, fmi3SetClock, (void *c, const unsigned r[], size_t n, const bool values[])) {
    (void)c, (void)r, (void)values;
    return n == 0 ? OK : ERROR;
}
FUNCTION(Status, fmi3GetNumberOfVariableDependencies, (void *c, unsigned r, size_t *count)) {
    (void)c, (void)r, (void)count;
    return ERROR;
}
FUNCTION(Status, fmi3GetVariableDependencies,
    (void *c, unsigned r, size_t a[], unsigned b[], size_t d[], int kinds[], size_t n)) {
    (void)c, (void)r, (void)a, (void)b, (void)d, (void)kinds, (void)n;
    return ERROR;
}

FUNCTION(Status, fmi3GetFMUState, (void *c, void **state)) {
    return save_state(c, state);
}
FUNCTION(Status, fmi3SetFMUState, (void *c, const void *state)) {
    return restore_state(c, state);
}
FUNCTION(Status, fmi3FreeFMUState, (void *c, void **state)) {
    (void)c;
    return free_state(state);
}
FUNCTION(Status, fmi3SerializedFMUStateSize, (void *c, void *state, size_t *size)) {
    (void)c, (void)state;
    return state_size(size);
}
FUNCTION(Status, fmi3SerializeFMUState, (void *c, void *state, unsigned char bytes[], size_t size)) {
    (void)c;
    return serialize_state(state, bytes, size);
}
FUNCTION(Status, fmi3DeserializeFMUState, (void *c, const unsigned char bytes[], size_t size, void **state)) {
    (void)c;
    return deserialize_state(bytes, size, state);
}
FUNCTION(Status, fmi3GetDirectionalDerivative,
    (void *c, const unsigned unknowns[], size_t unknown_count, const unsigned knowns[], size_t known_count,
        const double seed[], size_t seed_count, double sensitivity[], size_t sensitivity_count)) {
    if (seed_count != known_count || sensitivity_count != unknown_count) return ERROR;
    return done(
        c, core_directional(c, unknowns, unknown_count, knowns, known_count, seed, sensitivity), DISCARD);
}
FUNCTION(Status, fmi3GetAdjointDerivative,
    (void *c, const unsigned unknowns[], size_t unknown_count, const unsigned knowns[], size_t known_count,
        const double seed[], size_t seed_count, double sensitivity[], size_t sensitivity_count)) {
    (void)c, (void)unknowns, (void)unknown_count, (void)knowns, (void)known_count, (void)seed;
    (void)seed_count, (void)sensitivity, (void)sensitivity_count;
    return ERROR;
}

/* Clocks: there are none. */
FUNCTION(Status, fmi3GetIntervalDecimal,
    (void *c, const unsigned r[], size_t n, double intervals[], int qualifiers[])) {
    (void)c, (void)r, (void)intervals, (void)qualifiers;
    return n == 0 ? OK : ERROR;
}
FUNCTION(Status, fmi3GetIntervalFraction,
    (void *c, const unsigned r[], size_t n, uint64_t a[], uint64_t b[], int qualifiers[])) {
    (void)c, (void)r, (void)a, (void)b, (void)qualifiers;
    return n == 0 ? OK : ERROR;
}
FUNCTION(Status, fmi3GetShiftDecimal, (void *c, const unsigned r[], size_t n, double shifts[])) {
    (void)c, (void)r, (void)shifts;
    return n == 0 ? OK : ERROR;
}
FUNCTION(Status, fmi3GetShiftFraction, (void *c, const unsigned r[], size_t n, uint64_t a[], uint64_t b[])) {
    (void)c, (void)r, (void)a, (void)b;
    return n == 0 ? OK : ERROR;
}
FUNCTION(Status, fmi3SetIntervalDecimal, (void *c, const unsigned r[], size_t n, const double a[])) {
    (void)c, (void)r, (void)a;
    return n == 0 ? OK : ERROR;
}
FUNCTION(Status, fmi3SetIntervalFraction,
    (void *c, const unsigned r[], size_t n, const uint64_t a[], const uint64_t b[])) {
    (void)c, (void)r, (void)a, (void)b;
    return n == 0 ? OK : ERROR;
}
FUNCTION(Status, fmi3SetShiftDecimal, (void *c, const unsigned r[], size_t n, const double a[])) {
    (void)c, (void)r, (void)a;
    return n == 0 ? OK : ERROR;
}
FUNCTION(Status, fmi3SetShiftFraction,
    (void *c, const unsigned r[], size_t n, const uint64_t a[], const uint64_t b[])) {
    (void)c, (void)r, (void)a, (void)b;
    return n == 0 ? OK : ERROR;
}
FUNCTION(Status, fmi3ActivateModelPartition, (void *c, unsigned clock, double time)) {
    (void)c, (void)clock, (void)time;
    return ERROR;
}

/* Model exchange */
FUNCTION(Status, fmi3UpdateDiscreteStates,
    (void *c, bool *again, bool *terminate, bool *nominals_changed, bool *states_changed, bool *next_defined,
        double *next)) {
    (void)c;
    *again = *terminate = *nominals_changed = *states_changed = *next_defined = false;
    *next = 0.0;
    return OK;
}
FUNCTION(Status, fmi3CompletedIntegratorStep, (void *c, bool no_rollback, bool *event, bool *terminate)) {
    (void)c, (void)no_rollback;
    *event = *terminate = false;
    return OK;
}
FUNCTION(Status, fmi3GetContinuousStateDerivatives, (void *c, double rates[], size_t count)) {
    return get_derivatives(c, rates, count);
}
FUNCTION(Status, fmi3GetNumberOfEventIndicators, (void *c, size_t *count)) {
    (void)c;
    *count = 0;
    return OK;
}
FUNCTION(Status, fmi3GetNumberOfContinuousStates, (void *c, size_t *count)) {
    (void)c;
    *count = NX;
    return OK;
}

/* Co-simulation */
FUNCTION(Status, fmi3GetOutputDerivatives,
    (void *c, const unsigned r[], size_t n, const int32_t orders[], double values[], size_t m)) {
    (void)c, (void)r, (void)orders, (void)values, (void)m;
    return n == 0 ? OK : ERROR;
}
FUNCTION(Status, fmi3DoStep,
    (void *c, double now, double step, bool no_rollback, bool *event, bool *terminate, bool *early,
        double *last)) {
    (void)no_rollback;
    const int failed = core_step(c, now, step);
    *event = *terminate = *early = false;
    *last = ((Instance *)c)->values.v[AT_TIME];
    return done(c, failed, ERROR); /* discarded, importers would try again for ever */
}
