"""What of a MuJoCo model a mechanism of rigid bodies with ideal joints does not say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

NOT_LINEAR = (
    "dof_dampingpoly", "jnt_stiffnesspoly", "tendon_dampingpoly", "tendon_stiffnesspoly",
    "actuator_dampingpoly",
)  # fmt: skip


def left_out(mujoco: Any, m: Any) -> Iterator[str]:
    """In words, each thing that the model has."""
    floats = m.jnt_type == int(mujoco.mjtJoint.mjJNT_FREE)
    balls = floats | (m.jnt_type == int(mujoco.mjtJoint.mjJNT_BALL))
    moving = m.body_weldid[m.geom_bodyid] > 0
    many = np.isin(m.dof_jntid, np.flatnonzero(balls))
    free = np.isin(m.dof_jntid, np.flatnonzero(floats))
    has = {
        "contacts": (((m.geom_contype | m.geom_conaffinity) != 0) & moving).any(),
        "the softness of its equality constraints (they are rigid)": m.neq,
        "gravity compensation": np.any(m.body_gravcomp),
        "forces of a fluid": m.opt.density or m.opt.viscosity or np.any(m.opt.wind),
        "armature, springs and dry friction of ball and free joints": np.any(m.dof_armature[many])
        or np.any(m.dof_frictionloss[many])
        or np.any(m.jnt_stiffness[balls]),
        "damping of free joints": np.any(m.dof_damping[free]),
        "ranges of ball joints": np.any(m.jnt_limited[balls]),
        "springs and damping that are not linear": any(
            np.any(getattr(m, name, 0))
            for name in NOT_LINEAR
        ),
        "deformable bodies": m.nflex or m.nskin,
        "plugins": m.nplugin,
    }  # fmt: skip
    named = [what for what, there in has.items() if there]
    if named:
        yield f"left out: {', '.join(named)}"
    fixed = (
        m.wrap_type[m.tendon_adr] == int(mujoco.mjtWrap.mjWRAP_JOINT)
        if m.ntendon
        else np.zeros(0, dtype=bool)
    )
    driven = np.zeros(m.ntendon, dtype=bool)
    driven[m.actuator_trnid[m.actuator_trntype == int(mujoco.mjtTrn.mjTRN_TENDON), 0]] = True
    own = [m.tendon_stiffness[fixed], m.tendon_limited[fixed]]
    passive = [m.tendon_damping[fixed & ~driven], m.tendon_frictionloss[fixed & ~driven]]
    if any(np.any(values) for values in (*own, *passive)):
        yield "left out: springs and ranges of fixed tendons, and their friction without an actuator"
