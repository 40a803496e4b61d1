/* FMI 2.0.4: the functions of the standard (https://fmi-standard.org), declared here as far as needed. */
#define FMI(name) fmi2##name
#include "fmi.h"

typedef void (*Logger)(void *, const char *, Status, const char *, const char *, ...);
typedef struct {
    Logger logger;
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void (*finished)(void *, Status);
    void *environment;
} Callbacks;
typedef struct {
    int again, terminate, nominals_changed, states_changed, next_defined;
    double next_time;
} EventInfo;

static void report(Instance *m, Status status) {
    const Callbacks *callbacks = m->logger;
    if (callbacks != NULL && callbacks->logger != NULL) {
        callbacks->logger(callbacks->environment, m->name, status, "logStatusDiscard", "%s", m->message);
    }
}

FUNCTION(const char *, fmi2GetTypesPlatform, (void)) {
    return "default";
}
FUNCTION(const char *, fmi2GetVersion, (void)) {
    return "2.0";
}
FUNCTION(Status, fmi2SetDebugLogging, (void *c, int on, size_t n, const char *const categories[])) {
    (void)c, (void)on, (void)n, (void)categories;
    return OK;
}
FUNCTION(void *, fmi2Instantiate,
    (const char *name, int type, const char *token, const char *resources, const void *callbacks, int visible,
        int logging)) {
    (void)type, (void)resources, (void)visible, (void)logging;
    Callbacks *kept = malloc(sizeof *kept);
    if (kept == NULL) return NULL;
    if (callbacks != NULL) {
        memcpy(kept, callbacks, sizeof *kept);
    } else {
        memset(kept, 0, sizeof *kept);
    }
    Instance *m = core_new(name, token, kept, NULL);
    if (m == NULL) {
        if (kept->logger != NULL) {
            kept->logger(kept->environment, name, ERROR, "logStatusError", "the GUID does not fit this FMU");
        }
        free(kept);
    }
    return m;
}
NOTHING(fmi2EnterInitializationMode)
FUNCTION(Status, fmi2SetupExperiment,
    (void *c, int tolerance_defined, double tolerance, double start, int stop_defined, double stop)) {
    (void)tolerance_defined, (void)tolerance, (void)stop_defined, (void)stop;
    return done(c, core_set(c, AT_TIME, start), ERROR);
}

FUNCTION(Status, fmi2GetReal, (void *c, const unsigned references[], size_t count, double values[])) {
    return get_values(c, references, count, values);
}
FUNCTION(Status, fmi2SetReal, (void *c, const unsigned references[], size_t count, const double values[])) {
    return set_values(c, references, count, values);
}
/* There are no variables of other types. */
#define NONE(name, type)                                                             \
    FUNCTION(Status, name, (void *c, const unsigned r[], size_t count, type values)) { \
        (void)c, (void)r, (void)values;                                              \
        return count == 0 ? OK : ERROR;                                              \
    }
typedef int *Integers;
typedef const int *ConstantIntegers;
typedef const char **Strings;
typedef const char *const *ConstantStrings;
NONE(fmi2GetInteger, Integers)
NONE(fmi2GetBoolean, Integers)
NONE(fmi2GetString, Strings)
NONE(fmi2SetInteger, ConstantIntegers)
NONE(fmi2SetBoolean, ConstantIntegers)
NONE(fmi2SetString, ConstantStrings)

FUNCTION(Status, fmi2GetFMUstate, (void *c, void **state)) {
    return save_state(c, state);
}
FUNCTION(Status, fmi2SetFMUstate, (void *c, const void *state)) {
    return restore_state(c, state);
}
FUNCTION(Status, fmi2FreeFMUstate, (void *c, void **state)) {
    (void)c;
    return free_state(state);
}
FUNCTION(Status, fmi2SerializedFMUstateSize, (void *c, void *state, size_t *size)) {
    (void)c, (void)state;
    return state_size(size);
}
FUNCTION(Status, fmi2SerializeFMUstate, (void *c, void *state, char bytes[], size_t size)) {
    (void)c;
    return serialize_state(state, bytes, size);
}
FUNCTION(Status, fmi2DeSerializeFMUstate, (void *c, const char bytes[], size_t size, void **state)) {
    (void)c;
    return deserialize_state(bytes, size, state);
}
FUNCTION(Status, fmi2GetDirectionalDerivative,
    (void *c, const unsigned unknowns[], size_t unknown_count, const unsigned knowns[], size_t known_count,
        const double seed[], double sensitivity[])) {
    return done(
        c, core_directional(c, unknowns, unknown_count, knowns, known_count, seed, sensitivity), DISCARD);
}

/* Model exchange */
FUNCTION(Status, fmi2NewDiscreteStates, (void *c, EventInfo *info)) {
    (void)c;
    memset(info, 0, sizeof *info);
    return OK;
}
FUNCTION(Status, fmi2CompletedIntegratorStep, (void *c, int no_rollback, int *event, int *terminate)) {
    (void)c, (void)no_rollback;
    *event = 0;
    *terminate = 0;
    return OK;
}
FUNCTION(Status, fmi2GetDerivatives, (void *c, double rates[], size_t count)) {
    return get_derivatives(c, rates, count);
}

/* Co-simulation */
FUNCTION(Status, fmi2SetRealInputDerivatives,
    (void *c, const unsigned r[], size_t count, const int order[], const double values[])) {
    (void)c, (void)r, (void)order, (void)values;
    return count == 0 ? OK : ERROR;
}
FUNCTION(Status, fmi2GetRealOutputDerivatives,
    (void *c, const unsigned r[], size_t count, const int order[], double values[])) {
    (void)c, (void)r, (void)order, (void)values;
    return count == 0 ? OK : ERROR;
}
FUNCTION(Status, fmi2DoStep, (void *c, double now, double step, int no_rollback)) {
    (void)no_rollback;
    return done(c, core_step(c, now, step), ERROR); /* discarded, importers would try again for ever */
}
FUNCTION(Status, fmi2CancelStep, (void *c)) {
    (void)c;
    return ERROR;
}
FUNCTION(Status, fmi2GetStatus, (void *c, int kind, Status *value)) {
    (void)c, (void)kind, (void)value;
    return DISCARD;
}
FUNCTION(Status, fmi2GetRealStatus, (void *c, int kind, double *value)) {
    (void)kind;
    *value = ((Instance *)c)->values.v[AT_TIME]; /* fmi2LastSuccessfulTime */
    return OK;
}
FUNCTION(Status, fmi2GetIntegerStatus, (void *c, int kind, int *value)) {
    (void)c, (void)kind, (void)value;
    return DISCARD;
}
FUNCTION(Status, fmi2GetBooleanStatus, (void *c, int kind, int *value)) {
    (void)c, (void)kind;
    *value = 0; /* fmi2Terminated */
    return OK;
}
FUNCTION(Status, fmi2GetStringStatus, (void *c, int kind, const char **value)) {
    (void)kind;
    *value = ((Instance *)c)->message;
    return OK;
}
