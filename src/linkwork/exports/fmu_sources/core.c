#include "core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fault(Instance *m, const char *what) {
    const double *x = NX ? &m->values.v[AT_X] : &m->values.v[AT_U];
    const int count = NX ? NX : NU;
    int used = snprintf(m->message, sizeof m->message, "%s at t = %.9g; state", what, m->values.v[AT_TIME]);
    for (int i = 0; i < count && used > 0 && (size_t)used < sizeof m->message; i++) {
        used += snprintf(m->message + used, sizeof m->message - (size_t)used, " %.6g", x[i]);
    }
    return 1;
}

void core_reset(Instance *m) {
    static const double start[VALUES] = START;
    memcpy(m->values.v, start, sizeof start);
    m->values.step = 0.0;
    core_changed(m);
}

Instance *core_new(const char *name, const char *token, void *logger, void *environment) {
    if (token == NULL || strcmp(token, TOKEN) != 0) return NULL;
    Instance *m = calloc(1, sizeof *m);
    if (m == NULL) return NULL;
    const size_t length = strlen(name == NULL ? "" : name) + 1;
    m->name = malloc(length);
    if (m->name == NULL) {
        free(m);
        return NULL;
    }
    memcpy(m->name, name == NULL ? "" : name, length);
    m->logger = logger;
    m->environment = environment;
    core_reset(m);
    return m;
}

void core_free(Instance *m) {
    if (m == NULL) return;
    free(m->name);
    free(m);
}

void core_changed(Instance *m) {
    m->values.rate_known = 0;
    m->values.output_known = 0;
}

int core_rates(Instance *m) {
    double *v = m->values.v;
    if (m->values.rate_known) return 0;
    if (MODEL_RATE(&v[AT_X], &v[AT_U], &v[AT_P], &v[AT_RATE]) != 0) {
        return fault(m, "the robot is out of its workspace or singular: no finite acceleration");
    }
    m->values.rate_known = 1;
    return 0;
}

static int outputs(Instance *m) {
    double *v = m->values.v;
    if (m->values.output_known) return 0;
    if (MODEL_OUTPUT(&v[AT_X], &v[AT_U], &v[AT_P], &v[AT_Y]) != 0) {
        return fault(m, "the robot is out of its workspace or singular: no finite efforts or reactions");
    }
    m->values.output_known = 1;
    return 0;
}

int core_get(Instance *m, size_t reference, double *value) {
    if (reference >= VALUES) return fault(m, "there is no variable of this value reference");
    if (reference >= AT_RATE && reference < AT_U && core_rates(m) != 0) return 1;
    if (reference >= AT_Y && reference < AT_P && outputs(m) != 0) return 1;
    *value = m->values.v[reference];
    return 0;
}

int core_set(Instance *m, size_t reference, double value) {
    if (reference >= VALUES || (reference >= AT_RATE && reference < AT_U)
        || (reference >= AT_Y && reference < AT_P)) {
        return fault(m, "only states, inputs and parameters can be set");
    }
    if (!(value - value == 0.0)) return fault(m, "a value that is not finite was to be set");
    m->values.v[reference] = value;
    core_changed(m);
    return 0;
}

int core_save(const Instance *m, Values **values) {
    if (*values == NULL) *values = malloc(sizeof **values);
    if (*values == NULL) return 1;
    memcpy(*values, &m->values, sizeof **values);
    return 0;
}

int core_directional(Instance *m, const unsigned unknowns[], size_t unknown_count, const unsigned knowns[],
    size_t known_count, const double seed[], double sensitivity[]) {
    double *v = m->values.v;
    double given[VALUES + 1] = {0}, found[VALUES + 1] = {0};
    for (size_t k = 0; k < known_count; k++) {
        const unsigned r = knowns[k];
        if (!((r >= AT_X && r < AT_RATE) || (r >= AT_U && r < AT_Y))) {
            return fault(m, "derivatives are with respect to states and inputs");
        }
        given[r] = seed[k];
        if (r < AT_RATE) found[r] = seed[k]; /* a state that is an output too */
    }
    if (MODEL_TANGENT(&v[AT_X], &v[AT_U], &v[AT_P], &given[AT_X], &given[AT_U], &found[AT_RATE],
            &found[AT_Y]) != 0) {
        return fault(m, "the robot is out of its workspace or singular: no finite derivative");
    }
    for (size_t k = 0; k < unknown_count; k++) {
        if (unknowns[k] >= VALUES) return fault(m, "there is no variable of this value reference");
        sensitivity[k] = found[unknowns[k]];
    }
    return 0;
}

#if NX > 0
/* Dormand and Prince 1980, order 5 with an error estimate of order 4. */
static const double A[7][6] = {
    {0},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
static const double E[7] = {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525,
    -1.0 / 40};
static const double TOLERANCE = 1e-11; /* of a step, relative and absolute */
/* So many attempts advance at least so far, or the step is given up: where steps shrink there is no end. */
static const long ATTEMPTS = 20000;
static const double LEAST_ADVANCE = 0.2;  /* s */
static const double SHORTEST = 1e-13;     /* s */

/* One step of length h from x; returns the error by the tolerance, or a number above 1e30 on failure. */
static double attempt(Instance *m, const double *x, double h, double *result) {
    double k[7][NX], error = 0.0;
    double *v = m->values.v;
    for (int stage = 0; stage < 7; stage++) {
        double at[NX];
        for (int i = 0; i < NX; i++) {
            double sum = 0.0;
            for (int j = 0; j < stage; j++) sum += A[stage][j] * k[j][i];
            at[i] = x[i] + h * sum;
        }
        if (MODEL_RATE(at, &v[AT_U], &v[AT_P], k[stage]) != 0) return 1e31;
        if (stage == 6) memcpy(result, at, sizeof at);
    }
    for (int i = 0; i < NX; i++) {
        double sum = 0.0, size = x[i] < 0 ? -x[i] : x[i];
        for (int j = 0; j < 7; j++) sum += E[j] * k[j][i];
        sum = (sum < 0 ? -sum : sum) * h / (TOLERANCE * (1.0 + size));
        if (!(sum <= error)) error = sum;
    }
    return error;
}

static int advance(Instance *m, double end) {
    double *v = m->values.v;
    double h = m->values.step > 0.0 ? m->values.step : 1e-4;
    double since = v[AT_TIME];
    for (long count = 1; v[AT_TIME] < end; count++) {
        double next[NX];
        const double left = end - v[AT_TIME];
        const int last = h >= left;
        const double tried = last ? left : h;
        const double error = attempt(m, &v[AT_X], tried, next);
        if (error <= 1.0) {
            MODEL_PROJECTED(next, &v[AT_X]);
            v[AT_TIME] = last ? end : v[AT_TIME] + tried;
            core_changed(m);
        }
        /* error^(-1/5) within 0.2..5, by Newton's iteration: no mathematics library is needed. */
        double factor = 0.2;
        if (error < 1e30) {
            double root = 1.0;
            const double wanted = error > 1e-4 ? 0.5 / error : 5000.0;
            for (int i = 0; i < 40; i++) root -= (root - wanted / (root * root * root * root)) / 5.0;
            factor = root > 5.0 ? 5.0 : root < 0.2 ? 0.2 : root;
        }
        if (!(last && error <= 1.0) || factor < 1.0) h = tried * factor;
        m->values.step = h;
        if (h < SHORTEST && !(error < 1e30)) {
            return fault(m, "the robot leaves its workspace or becomes singular: no finite step");
        }
        if (h < SHORTEST || (count % ATTEMPTS == 0 && v[AT_TIME] - since < LEAST_ADVANCE)) {
            return fault(m, "steps shrink below 10 microseconds: the robot runs away or becomes singular, "
                            "damping or a spring is stiff, or Coulomb friction chatters at rest");
        }
        if (count % ATTEMPTS == 0) since = v[AT_TIME];
    }
    return 0;
}
#else
static int advance(Instance *m, double end) {
    m->values.v[AT_TIME] = end;
    return outputs(m);
}
#endif

int core_step(Instance *m, double now, double length) {
    const double gap = now - m->values.v[AT_TIME], end = now + length;
    const double allowed = 1e-9 * (1.0 + (now < 0.0 ? -now : now)); /* importers round their times */
    if (!(length >= 0.0 && end - end == 0.0)) {
        return fault(m, "the length of a step is negative or not finite");
    }
    if (!(gap <= allowed && -gap <= allowed)) {
        return fault(m, "a step does not begin where the last one ended");
    }
    return advance(m, end);
}
