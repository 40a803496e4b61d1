"""A parallel robot without friction in MuJoCo: legs and a platform, closed by `connect` constraints.

The platform has the joints of its coordinates, so that points are all that needs to be tied. Joints
without a body of their own share that of the next one. Thin rods get a little inertia about their
axis, which MuJoCo demands. Legs that end rigidly are tied as frames in the rows used here.
"""

from __future__ import annotations

import mujoco
import numpy as np

from linkwork.robot.parallel import ParallelRobot
from tests.oracles.mujoco_platform import _inertial, _numbers
from tests.oracles.placed_legs import placed

LEAST = 1e-12


class MujocoParallel:
    """Built at coordinates c, where every joint stands at zero and all frames have base axes."""

    def __init__(self, robot: ParallelRobot, c: np.ndarray, rotors: bool = True) -> None:
        self.robot, model = robot, robot.model
        still = np.zeros(robot.dof)
        found = robot.joints(c, still, still)
        self.at = at = placed(model, found.q, found.pose)
        body, R = at.platform, at.R
        inertia = R @ body.inertia @ R.T + LEAST * np.eye(3)
        bodies = (
            f'<body name="platform" pos="{_numbers(at.origin)}">{self._platform_joints(found.pose)}'
            f"{_inertial(body.mass, R @ body.center_of_mass, inertia)}</body>"
        )
        ties = ""
        self.tips: list[str] = []
        for index, leg in enumerate(at.legs):
            own, before, depth, opened = leg.joints[: leg.count], np.zeros(3), 0, False
            for k, joint in enumerate(own):
                if not opened:
                    place, depth, opened = _numbers(joint.point - before), depth + 1, True
                    bodies += f'<body name="leg {index}.{depth}" pos="{place}">'
                    corner = before = joint.point
                kind = "hinge" if joint.revolute else "slide"
                source = model.legs[index].joints[k]
                armature = source.rotor if rotors else 0.0
                shift = _numbers(joint.point - corner)
                bodies += (
                    f'<joint name="{source.name}" type="{kind}" axis="{_numbers(joint.axis)}" '
                    f'pos="{shift}" armature="{armature!r}"/>'
                )
                if joint.mass:
                    grown = joint.inertia + LEAST * np.eye(3)
                    bodies += _inertial(joint.mass, joint.center - corner, grown)
                    opened = False
            if opened:  # a last joint that carries nothing but the platform
                bodies += _inertial(LEAST, np.zeros(3), LEAST * np.eye(3))
            bodies += "</body>" * depth
            self.tips.append(f"leg {index}.{depth}")
            anchor = _numbers(leg.tip - before)
            ties += f'<connect body1="{self.tips[-1]}" body2="platform" anchor="{anchor}"/>'
        self.model = mujoco.MjModel.from_xml_string(
            '<mujoco><compiler angle="radian"/><option jacobian="dense" '
            f'gravity="{_numbers(model.gravity)}"><flag contact="disable"/></option>'
            f"<worldbody>{bodies}</worldbody><equality>{ties}</equality></mujoco>"
        )
        self.data = mujoco.MjData(self.model)

    def _platform_joints(self, pose: np.ndarray) -> str:
        model = self.robot.model
        if model.dof == 6:
            return "<freejoint/>"
        places = (*model.independent, *model.dependent)
        text = ""
        for k in sorted(places, key=lambda place: place if place < 3 else 8 - place):
            kind = "slide" if k < 3 else "hinge"
            text += f'<joint name="top {k}" type="{kind}" axis="{_numbers(np.eye(3)[k % 3])}"/>'
        return text

    def _columns(self, index: int) -> list[int]:
        leg = self.robot.model.legs[index]
        return [int(self.model.joint(joint.name).dofadr[0]) for joint in leg.joints]

    def _rows(self, function) -> np.ndarray:
        """Jacobian of tips less that of sockets, or its rate."""
        rows = []
        for index, leg in enumerate(self.at.legs):
            pair = []
            for name in (self.tips[index], "platform"):
                body = self.model.body(name).id
                linear, angular = np.zeros((2, 3, self.model.nv))
                function(self.model, self.data, linear, angular, leg.tip, body)
                whole = self.robot.model.legs[index].frame
                pair.append(np.vstack([linear, angular]) if whole else linear)
            rows.append(pair[0] - pair[1])
        return np.concatenate(rows)

    def inverse(self, cd: np.ndarray, cdd: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        """Efforts at motions of home: coordinates that are the platform's joints, or a twist."""
        nv = self.model.nv
        legs = [column for index in range(len(self.at.legs)) for column in self._columns(index)]
        top = [k for k in range(nv) if k not in legs]
        mujoco.mj_forward(self.model, self.data)
        C = self._rows(mujoco.mj_jac)
        self.data.qvel[legs] = qd
        self.data.qvel[top] = np.linalg.lstsq(C[:, top], -C[:, legs] @ qd, rcond=1e-10)[0]
        mujoco.mj_forward(self.model, self.data)
        drift = self._rows(mujoco.mj_jacDot) @ self.data.qvel
        a = np.zeros(nv)
        a[legs] = qdd
        a[top] = np.linalg.lstsq(C[:, top], -C[:, legs] @ qdd - drift, rcond=1e-10)[0]
        M = np.zeros((nv, nv))
        mujoco.mj_fullM(self.model, self.data, M)
        _, s, vt = np.linalg.svd(C)
        N = vt[int((s > 1e-9 * s[0]).sum()) :].T
        need = M @ a + self.data.qfrc_bias
        actuated = [joint.actuated for joint in self.robot.model.joints]
        S = np.eye(nv)[:, [column for column, on in zip(legs, actuated, strict=True) if on]]
        return np.linalg.lstsq(N.T @ S, N.T @ need, rcond=None)[0]
