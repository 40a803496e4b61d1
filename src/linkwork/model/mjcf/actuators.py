"""MuJoCo's actuators as motors: what they act on, and what they bring along."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

OWN = ("armature", "damping")  # of an actuator, since MuJoCo 3.6


class Actuator(NamedTuple):
    """An actuator on joint or tendon `on`; effort, armature and damping are its own, before the gear."""

    name: str
    on: int
    gear: float
    effort: float | None
    armature: float
    damping: float

    @property
    def effort_at_joint(self) -> float | None:
        return abs(self.gear) * self.effort if self.effort else None

    @property
    def rotor(self) -> float:
        """Inertia that the joint feels."""
        return self.gear**2 * self.armature

    @property
    def viscous(self) -> float:
        return self.gear**2 * self.damping


@dataclass
class Actuators:
    """By joint, and those on tendons; what else there is stands in the remarks."""

    joints: dict[int, Actuator] = field(default_factory=dict)
    tendons: list[Actuator] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    @staticmethod
    def of(mujoco: Any, m: Any) -> Actuators:
        found = Actuators()
        trn, one_dof = mujoco.mjtTrn, (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE)
        pushing = (trn.mjTRN_JOINT, trn.mjTRN_JOINTINPARENT)
        servos, further, other = [], [], []
        for k in range(m.nu):
            name, on = m.actuator(k).name or f"actuator{k}", int(m.actuator_trnid[k][0])
            kind = trn(int(m.actuator_trntype[k]))
            if m.actuator_biastype[k] != int(mujoco.mjtBias.mjBIAS_NONE):
                servos.append(name)
            if kind in pushing and mujoco.mjtJoint(int(m.jnt_type[on])) in one_dof:
                if on in found.joints:
                    further.append(name)
                else:
                    found.joints[on] = _actuator(mujoco, m, k, name)
            elif kind == trn.mjTRN_TENDON:
                found.tendons.append(_actuator(mujoco, m, k, name))
            else:
                other.append(name)
        if servos:
            found.remarks.append(
                f"actuators {_some(servos)} are servos: their effort is taken, not their gains"
            )
        if further:
            found.remarks.append(
                f"actuators {_some(further)} act on joints that have one already: one is kept"
            )
        if other:
            found.remarks.append(
                f"actuators {_some(other)} are left out: they act on no hinge, slide or tendon"
            )
        return found


def _actuator(mujoco: Any, m: Any, k: int, name: str) -> Actuator:
    effort = None
    plain = m.actuator_biastype[k] == int(mujoco.mjtBias.mjBIAS_NONE)
    if m.actuator_forcelimited[k]:
        effort = float(np.abs(m.actuator_forcerange[k]).max())
    elif (
        m.actuator_ctrllimited[k]
        and plain
        and m.actuator_gaintype[k] == int(mujoco.mjtGain.mjGAIN_FIXED)
    ):
        effort = float(abs(m.actuator_gainprm[k][0]) * np.abs(m.actuator_ctrlrange[k]).max())
    own = (float(np.ravel(getattr(m, f"actuator_{what}", np.zeros(m.nu))[k])[0]) for what in OWN)
    return Actuator(name, int(m.actuator_trnid[k][0]), float(m.actuator_gear[k][0]), effort, *own)


def _some(names: list[str], most: int = 5) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
