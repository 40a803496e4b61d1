"""Any mechanism in MuJoCo: the same tree, loops tied by `connect`, drawn at home in base axes.

A third opinion: mass matrix, bias and Jacobians of points and turns are MuJoCo's own, at joint
coordinates that are known to close the loops. Friction and springs are left out. Steps without a mass
share the body of the next one; thin rods get a little inertia about their axis, which MuJoCo demands.
"""

from __future__ import annotations

import mujoco
import numpy as np

from linkwork.model.geometry import Body
from linkwork.model.mechanism import MechanismModel
from tests.oracles.mechanism_graph import Closure, graph_of
from tests.oracles.mujoco_platform import _inertial, _numbers

LEAST = 1e-12


class MujocoMechanism:
    """`rotors` of tree joints become armature; of others there is no counterpart."""

    def __init__(self, model: MechanismModel, rotors: bool = False) -> None:
        self.graph = graph = graph_of(model)
        self.children: dict[int, list[int]] = {}
        for k, step in enumerate(graph.steps):
            self.children.setdefault(step.parent, []).append(k)
        self.masses: dict[int, Body] = {}
        for node, body in graph.masses:
            known = self.masses.get(node)
            self.masses[node] = body if known is None else known.merged_with(body)
        self.tied = {node for each in graph.closures for node in (each.a, each.b)}
        named = set(graph.nodes.values())
        self.named = named | self.tied
        drives = {each.name: each.rotor for each in model.elements} if rotors else {}
        self.armature = {k: drives.get(step.name, 0.0) for k, step in enumerate(graph.steps)}
        bodies = "".join(self._body(k, np.zeros(3)) for k in self.children.get(-1, []))
        ties = "".join(self._tie(each) for each in graph.closures)
        for k, coupling in enumerate(model.couplings):
            ties += self._coupling(f"coupling {k}", coupling.terms)
        self.model = mujoco.MjModel.from_xml_string(
            '<mujoco><compiler angle="radian"/><option jacobian="dense" '
            f'gravity="{_numbers(model.gravity)}"><flag contact="disable"/></option>'
            f"<worldbody>{bodies}</worldbody><equality>{ties}</equality></mujoco>"
        )
        self.data = mujoco.MjData(self.model)

    def _body(self, k: int, corner: np.ndarray) -> str:
        steps = self.graph.steps
        own = [k]
        while self._bare(own[-1]):
            own += self.children[own[-1]]
        place, node = steps[k].at, own[-1]
        text = f'<body name="{node}" pos="{_numbers(place - corner)}">'
        for each in own:
            step = steps[each]
            kind = "hinge" if step.revolute else "slide"
            text += (
                f'<joint name="{each}" type="{kind}" axis="{_numbers(step.axis)}" '
                f'pos="{_numbers(step.at - place)}" armature="{self.armature[each]!r}"/>'
            )
        body = self.masses.get(node, Body.of(0.0, place, np.zeros((3, 3))))
        inertia = body.inertia + LEAST * np.eye(3)
        text += _inertial(max(body.mass, LEAST), body.center_of_mass - place, inertia)
        text += "".join(self._body(child, place) for child in self.children.get(node, []))
        return text + "</body>"

    def _bare(self, node: int) -> bool:
        body = self.masses.get(node)
        empty = body is None or not (body.mass or body.inertia.any())
        return empty and node not in self.tied and len(self.children.get(node, [])) == 1

    def _tie(self, each: Closure) -> str:
        """Points held together; a hinge by two of them. What else a joint holds has no counterpart."""
        first, second = (each.b, each.a) if each.a < 0 else (each.a, each.b)
        points = [each.at] if each.point else []
        if each.point and len(each.angles) == 2:
            points.append(each.at + 0.1 * each.angles[0][1])
        text = ""
        for point in points:
            other = f' body2="{second}"' if second >= 0 else ""
            anchor = _numbers(point - self._corner(first))
            text += f'<connect body1="{first}"{other} anchor="{anchor}"/>'
        return text

    def _corner(self, node: int) -> np.ndarray:
        """Where the frame of a node's body stands at home."""
        k = node
        while self.graph.steps[k].parent >= 0 and self._bare(self.graph.steps[k].parent):
            k = self.graph.steps[k].parent
        return self.graph.steps[k].at

    def _coupling(self, name: str, terms: tuple[tuple[str, float], ...]) -> str:
        index = self.graph.index
        if len(terms) != 2 or not all(joint in index for joint, _ in terms):
            return ""
        (one, a), (two, b) = terms
        pair = f'joint1="{index[one]}" joint2="{index[two]}"'
        return f'<joint name="{name}" {pair} polycoef="0 {-b / a!r} 0 0 0"/>'

    def place(self, q: np.ndarray, qd: np.ndarray) -> None:
        """Tree coordinates from home, in the order of the graph's steps."""
        self.data.qpos[:], self.data.qvel[:] = q, qd
        mujoco.mj_forward(self.model, self.data)

    def mass_and_bias(self) -> tuple[np.ndarray, np.ndarray]:
        M = np.zeros((self.model.nv, self.model.nv))
        mujoco.mj_fullM(self.model, self.data, M)
        return M, np.array(self.data.qfrc_bias)

    def _carrier(self, node: int) -> tuple[int, str]:
        return (0, "world") if node < 0 else (self.model.body(str(node)).id, str(node))

    def _spatial(self, function, node: int, point: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        linear, angular = np.zeros((2, 3, self.model.nv))
        function(self.model, self.data, linear, angular, point, self._carrier(node)[0])
        return linear, angular

    def tie_rows(self) -> tuple[np.ndarray, np.ndarray]:
        """Rows of the points that closures share, and their rates times qd."""
        rows, drifts = [], []
        for each in self.graph.closures:
            if not each.point:
                continue
            body, _ = self._carrier(each.b)
            R = np.array(self.data.xmat[body]).reshape(3, 3)
            home = each.at - (self._corner(each.b) if each.b >= 0 else 0.0)
            point = np.array(self.data.xpos[body]) + R @ home
            J, Jd = (
                self._spatial(function, each.b, point)[0] - self._spatial(function, each.a, point)[0]
                for function in (mujoco.mj_jac, mujoco.mj_jacDot)
            )
            rows.append(J)
            drifts.append(Jd @ self.data.qvel)
        nv = self.model.nv
        return (
            (np.concatenate(rows), np.concatenate(drifts)) if rows else (np.zeros((0, nv)), np.zeros(0))
        )
