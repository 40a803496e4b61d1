"""A Stewart platform without friction in MuJoCo: a tree closed by six `connect` constraints."""

from __future__ import annotations

import mujoco
import numpy as np

from linkwork.core.rotations import rotation_of
from linkwork.model.families.stewart import PlatformModel


def _numbers(values) -> str:
    return " ".join(repr(float(value)) for value in np.ravel(values))


def _inertial(mass: float, center: np.ndarray, inertia: np.ndarray) -> str:
    i = inertia
    full = [i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]]
    return f'<inertial pos="{_numbers(center)}" mass="{mass!r}" fullinertia="{_numbers(full)}"/>'


class MujocoPlatform:
    """All frames have base axes at `pose`, where every joint stands at zero."""

    def __init__(self, platform: PlatformModel, pose: np.ndarray) -> None:
        self.platform = platform
        R, t = rotation_of(pose), pose[:3]
        body = platform.platform
        bodies = (
            f'<body name="platform" pos="{_numbers(t)}"><freejoint/>'
            f"{_inertial(body.mass, R @ body.center_of_mass, R @ body.inertia @ R.T)}</body>"
        )
        ties = ""
        self.tips, self.sockets = [], []
        for leg in platform.legs:
            q = R @ leg.platform_point
            S = q + t - leg.base_point
            s = S / np.linalg.norm(S)
            y = np.cross(leg.fixed_axis, s)
            y /= np.linalg.norm(y)
            T = np.column_stack([s, y, np.cross(s, y)])
            lower, upper = leg.lower, leg.upper
            bodies += (
                f'<body pos="{_numbers(leg.base_point)}">'
                f'<joint type="hinge" axis="{_numbers(leg.fixed_axis)}"/>'
                f'<joint type="hinge" axis="{_numbers(y)}"/>'
                f"{_inertial(lower.mass, T @ lower.center_of_mass, T @ lower.inertia @ T.T)}"
                f'<body name="{leg.name} upper"><joint type="slide" axis="{_numbers(s)}"/>'
                f"{_inertial(upper.mass, S + T @ upper.center_of_mass, T @ upper.inertia @ T.T)}"
                "</body></body>"
            )
            ties += f'<connect body1="{leg.name} upper" body2="platform" anchor="{_numbers(S)}"/>'
            self.tips.append(S)
            self.sockets.append(q)
        self.model = mujoco.MjModel.from_xml_string(
            '<mujoco><compiler angle="radian"/><option jacobian="dense" '
            f'gravity="{_numbers(platform.gravity)}"><flag contact="disable"/></option>'
            f"<worldbody>{bodies}</worldbody><equality>{ties}</equality></mujoco>"
        )
        self.data = mujoco.MjData(self.model)

    def _points(self, k: int, function) -> tuple[np.ndarray, np.ndarray]:
        """Jacobian (or its rate) of tip and socket of leg k."""
        results = []
        for name, local in (
            (f"{self.platform.legs[k].name} upper", self.tips[k]),
            ("platform", self.sockets[k]),
        ):
            body = self.model.body(name).id
            point = self.data.xpos[body] + self.data.xmat[body].reshape(3, 3) @ local
            linear, angular = np.zeros((2, 3, self.model.nv))
            function(self.model, self.data, linear, angular, point, body)
            results.append(linear)
        return results[0], results[1]

    def set_motion(self, twist: np.ndarray) -> None:
        """Rates of all joints from the platform's twist."""
        mujoco.mj_forward(self.model, self.data)
        pairs = [self._points(k, mujoco.mj_jac) for k in range(6)]
        self.C = np.concatenate([tip - socket for tip, socket in pairs])
        self.data.qvel[:6] = twist
        self.data.qvel[6:] = np.linalg.solve(self.C[:, 6:], -self.C[:, :6] @ twist)
        mujoco.mj_forward(self.model, self.data)
        rates = [self._points(k, mujoco.mj_jacDot) for k in range(6)]
        C_rate = np.concatenate([tip - socket for tip, socket in rates])
        self.drift = C_rate @ self.data.qvel

    def inverse(self, acceleration: np.ndarray) -> np.ndarray:
        """Actuator forces; constraint forces are eliminated exactly, not by MuJoCo's soft solver."""
        nv = self.model.nv
        M = np.zeros((nv, nv))
        mujoco.mj_fullM(self.model, self.data, M)
        a = np.zeros(nv)
        a[:6] = acceleration
        a[6:] = np.linalg.solve(self.C[:, 6:], -self.C[:, :6] @ acceleration - self.drift)
        need = M @ a + self.data.qfrc_bias
        actuators = np.zeros((nv, 6))
        for k in range(6):
            actuators[6 + 3 * k + 2, k] = 1.0
        return np.linalg.solve(np.column_stack([self.C.T, actuators]), need)[18:]
