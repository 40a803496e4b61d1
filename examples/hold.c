/* The torques that hold a PUMA 560 where it is, from the C source of its kernel. */
#include <stdio.h>

int inverse_dynamics(const double **arg, double **res, long long int *iw, double *w, int mem);

int main(void) {
    double q[6] = {1.5707963267948966, 0, 1.5707963267948966, 0, 0, 0}, qd[6] = {0}, qdd[6] = {0}, tau[6];
    const double *inputs[] = {q, qd, qdd};
    double *outputs[] = {tau};
    inverse_dynamics(inputs, outputs, 0, 0, 0);
    for (int k = 0; k < 6; k++) printf("%.3f ", tau[k]);
    printf("N m\n");
    return 0;
}
