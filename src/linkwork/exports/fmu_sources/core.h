/* What FMI 2.0 and 3.0 share: one vector of values, its equations, and an integrator.
 *
 * A value reference is an index into v: time, states x, their rates, inputs u, outputs y, parameters p.
 */
#ifndef LINKWORK_FMU_CORE_H
#define LINKWORK_FMU_CORE_H

#include <stddef.h>

#include "model.h"

enum {
    AT_TIME = 0,
    AT_X = 1,
    AT_RATE = AT_X + NX,
    AT_U = AT_RATE + NX,
    AT_Y = AT_U + NU,
    AT_P = AT_Y + NY,
    VALUES = AT_P + NP
};

typedef struct {
    double v[VALUES];
    double step; /* of the integrator, kept from one communication step to the next */
    int rate_known, output_known;
} Values;

typedef struct {
    Values values;
    char message[512]; /* of the last fault */
    char *name;
    void *logger, *environment;
} Instance;

Instance *core_new(const char *name, const char *token, void *logger, void *environment);
void core_free(Instance *m);
void core_reset(Instance *m);
/* All of these return 0, or 1 after they wrote a message. */
int core_get(Instance *m, size_t reference, double *value);
int core_set(Instance *m, size_t reference, double value);
int core_rates(Instance *m);
int core_step(Instance *m, double now, double length);
int core_directional(Instance *m, const unsigned unknowns[], size_t unknown_count, const unsigned knowns[],
    size_t known_count, const double seed[], double sensitivity[]);
void core_changed(Instance *m);
int core_save(const Instance *m, Values **values);

#endif
