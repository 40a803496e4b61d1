"""Where MuJoCo's loops are closed: its reference configuration, a keyframe, or one near by."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.files.faults import Fault, FaultyError
from linkwork.model.geometry import Array

CLOSED = 1e-9  # [m or rad]
STEPS = 50
HOME = "home"  # what a keyframe of a configuration at rest is called


def home_configuration(mujoco: Any, m: Any, held: Array) -> tuple[Any, Array]:
    """The data at home and qpos there; of dofs that are `held` as few as possible move.

    FaultyError if no configuration near the reference closes the loops.
    """
    d = mujoco.MjData(m)
    keys = sorted(range(m.nkey), key=lambda k: m.key(k).name != HOME)
    starts = [m.qpos0, *(m.key_qpos[k] for k in keys)]
    for start in starts:
        if _closed(mujoco, m, d, start):
            return d, d.qpos.copy()
    for start in starts:
        for weights in (np.where(held, 0.0, 1.0), np.where(held, 1e-3, 1.0)):
            if _solved(mujoco, m, d, start, weights):
                return d, d.qpos.copy()
    gap = np.abs(_residual(mujoco, m, d, m.qpos0)).max()
    raise open_loop(float(gap))


def open_loop(gap: float) -> FaultyError:
    what = (
        f"its equality constraints are violated by {gap:.3g} (m or rad) at the reference configuration"
    )
    return FaultyError([Fault("equality", f"{what}, and no configuration near it satisfies them")])


def _residual(mujoco: Any, m: Any, d: Any, qpos: Array) -> Array:
    d.qpos[:] = qpos
    mujoco.mj_fwdPosition(m, d)
    return np.array(d.efc_pos[: d.ne])


def _closed(mujoco: Any, m: Any, d: Any, qpos: Array) -> bool:
    return bool(np.abs(_residual(mujoco, m, d, qpos)).max(initial=0.0) < CLOSED)


def _solved(mujoco: Any, m: Any, d: Any, start: Array, weights: Array) -> bool:
    """Newton's method in MuJoCo's own tangent space."""
    qpos = np.array(start)
    for _ in range(STEPS):
        residual = _residual(mujoco, m, d, qpos)
        if np.abs(residual).max() < 1e-3 * CLOSED:
            return True
        J = np.array(d.efc_J[: d.ne * m.nv]).reshape(-1, m.nv)
        step = -weights * np.linalg.lstsq(J * weights, residual, rcond=1e-10)[0]
        largest = np.abs(step).max()
        mujoco.mj_integratePos(m, qpos, step * min(1.0, 0.3 / largest if largest else 1.0), 1.0)
    return _closed(mujoco, m, d, qpos)
