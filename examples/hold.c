/* The torques that hold a PUMA 560 where it is, from the C source of its kernel. */
#include <stdio.h>

int inverse_dynamics(const double q[6], const double qd[6], const double qdd[6], double tau[6]);

int main(void) {
    const double q[6] = {1.5707963267948966, 0, 1.5707963267948966, 0, 0, 0}, still[6] = {0};
    double tau[6];
    if (inverse_dynamics(q, still, still, tau) != 0) return 1; /* not finite */
    for (int k = 0; k < 6; k++) printf("%.3f ", tau[k]);
    printf("N m\n");
    return 0;
}
