"""The bundled example logs: a planar arm with other masses and friction than its file's.

They are generated, not measured: efforts of the changed arm along two motions, with noise, and positions
as an encoder of 16 bits reads them. `python -m linkwork.identification.example_logs` writes them.
"""

from __future__ import annotations

import numpy as np

from linkwork.core.table_files import write_table
from linkwork.identification.logs import LIBRARY
from linkwork.motion.excitation import Excitation
from linkwork.robot.arm import Arm
from linkwork.robot.loading import load_arm

PERIOD, STEPS = 0.01, 2**16
NOISE = (0.3, 0.1)  # [N m], standard deviations
LOAD = 0.3, (0.1, 0.05, 0.0), (0.001, 0.001, 0.002)


def true_arm() -> Arm:
    """The arm that made the logs: what `identify` should find."""
    arm = load_arm("planar-2r")
    names = list(arm.parameters.names)
    values = np.array(arm.parameters.values)
    for owner, factor in (("shoulder", 1.15), ("elbow", 0.8)):
        first = names.index(f"{owner}.m")
        values[first : first + 10] *= factor
    friction = {"shoulder": (1.2, 2.1, -1.8, 0.3), "elbow": (0.5, 0.9, -0.9, 0.0)}
    for owner, coefficients in friction.items():
        first = names.index(f"{owner}.viscous")
        values[first : first + 4] = coefficients
    return arm.with_parameters(values)


def main() -> None:
    empty, rng = true_arm(), np.random.default_rng(17)
    logs = (
        ("planar-2r-log", empty, 4, 0.2),
        ("planar-2r-new", empty, 9, 0.16),
        ("planar-2r-loaded", empty.with_payload(*LOAD), 4, 0.2),
    )
    for name, arm, seed, frequency in logs:
        motion = Excitation([0.0, 0.5], [1.2, 1.5], frequency, 5, seed, periods=2)
        time, (q, qd, qdd) = motion.sample(PERIOD)
        tau = arm.inverse_dynamics(q, qd, qdd)
        tau = tau + NOISE * rng.normal(size=tau.shape)
        step = 2 * np.pi / STEPS
        read = np.round(q / step) * step
        columns = {"t": np.round(time, 4), "q1": np.round(read[:, 0], 6), "q2": np.round(read[:, 1], 6)}
        columns |= {"tau1": np.round(tau[:, 0], 4), "tau2": np.round(tau[:, 1], 4)}
        write_table(LIBRARY / f"{name}.csv", columns)


if __name__ == "__main__":
    main()
