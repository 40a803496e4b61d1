"""The same arm in MuJoCo, written as its own model language."""

from __future__ import annotations

import mujoco
import numpy as np

from linkwork.model.families.arm import ArmModel
from linkwork.model.geometry import Transform


def _numbers(values) -> str:
    return " ".join(repr(float(value)) for value in values)


def _place(transform: Transform) -> str:
    quaternion = np.zeros(4)
    mujoco.mju_mat2Quat(quaternion, np.array(transform.R).flatten())
    return f'pos="{_numbers(transform.p)}" quat="{_numbers(quaternion)}"'


def mujoco_model(arm: ArmModel) -> mujoco.MjModel:
    """A chain of bodies. Bodies without mass get a trace of it: MuJoCo does not move them otherwise."""
    text, end = "", ""
    placement = Transform()
    for joint in arm.joints:
        kind = "hinge" if joint.is_revolute else "slide"
        body = joint.body.seen_from(joint.after.inverse())
        inertia = body.inertia
        full = [inertia[0, 0], inertia[1, 1], inertia[2, 2], inertia[0, 1], inertia[0, 2], inertia[1, 2]]
        text += (
            f"<body {_place(placement @ joint.before)}>"
            f'<inertial pos="{_numbers(body.center_of_mass)}" mass="{float(body.mass)!r}" '
            f'fullinertia="{_numbers(full)}"/>'
            f'<joint name="{joint.name}" type="{kind}" axis="{_numbers(joint.axis)}" '
            f'ref="{-float(joint.offset)!r}"/>'
        )
        end += "</body>"
        placement = joint.after
    smallest = min(float(joint.body.mass) for joint in arm.joints)
    bound = 'boundmass="1e-6" boundinertia="1e-6" balanceinertia="true"' if smallest == 0.0 else ""
    return mujoco.MjModel.from_xml_string(
        f'<mujoco><compiler angle="radian" {bound}/>'
        f'<option gravity="{_numbers(arm.gravity)}"><flag contact="disable"/></option>'
        f"<worldbody>{text}{end}</worldbody></mujoco>"
    )
