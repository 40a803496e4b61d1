"""Any mechanism in Pinocchio: a tree, and all closures of its loops as dense rows, redundant or not.

Positions by Gauss-Newton with continuation from home; rates and accelerations by least squares; the
dynamics projected on the coordinates, or with multipliers. Nothing of linkwork's mechanics is used.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pytest

pytest.importorskip("pinocchio", reason="there is no Pinocchio for this system")

import pinocchio as pin

from linkwork.model.mechanism import POSE, Cylinder, MechanismJoint, MechanismModel, Spring
from tests.oracles.mechanism_graph import Rubbing, graph_of, home_pose, unit
from tests.oracles.mechanism_kinematics import Kinematics, Scalar, angle_rates
from tests.oracles.mechanism_wrenches import JointWrench, joint_wrenches

RANK = 1e-8  # smallest singular value that counts, by the largest
RESTS = 1e-11  # a joint slower than this has no dry friction


def solved(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Least squares, least norm."""
    return np.linalg.lstsq(A, b, rcond=RANK)[0]


@dataclass(frozen=True)
class State:
    """Joint coordinates by name (from home; poses absolute), bodies as 4 x 4 displacements from home."""

    q: dict[str, float]
    qd: dict[str, float]
    qdd: dict[str, float]
    tau: np.ndarray
    poses: dict[str, np.ndarray]
    twists: dict[str, np.ndarray]
    wrenches: dict[str, JointWrench]
    kinetic: float
    potential: float
    mass_matrix: np.ndarray
    bias: np.ndarray
    residual: float


@dataclass(frozen=True)
class Shape:
    """How well a place suits: freedoms, largest rate of a joint by the coordinates' rates, smallest
    singular value of motors by coordinates, condition of the mass matrix."""

    mobility: int
    gain: float
    drives: float
    mass: float


def _pull(spring: Spring, value: float) -> float:
    return spring.preload + spring.stiffness * (value - spring.free)


def _rest(each: MechanismJoint | Cylinder) -> float:
    """What its spring counts from: a cylinder's length, a joint's home."""
    return each.length if isinstance(each, Cylinder) else 0.0


class Oracle:
    """A mechanism's dynamics, one state at a time.

    `payload` is mass, first moments (3) and moments of inertia xx yy zz xy xz yz about the tool frame.
    """

    def __init__(self, model: MechanismModel, payload: np.ndarray | None = None) -> None:
        self.model, self.graph = model, graph_of(model)
        self.tree, self.floating = self._built(False, payload), self._built(True, payload)
        self.data, self.floating_data = self.tree.createData(), self.floating.createData()
        self.nv = len(self.graph.steps)
        self.support = {-1: np.zeros(self.nv)}
        for k, step in enumerate(self.graph.steps):
            self.support[k] = self.support[step.parent].copy()
            self.support[k][k] = 1.0
        self.names = [step.name for step in self.graph.steps]
        self.home_q = np.array([step.home for step in self.graph.steps])
        self.index = self.graph.index
        self.twist_of = self._twists()
        self._check_inertia()

    def _built(self, moving_base: bool, payload: np.ndarray | None) -> pin.Model:
        tree = pin.Model()
        tree.gravity.linear = np.array(self.model.gravity)
        root = 0
        if moving_base:
            root = tree.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), " base motion")
        for step in self.graph.steps:
            kind = pin.JointModelRevoluteUnaligned if step.revolute else pin.JointModelPrismaticUnaligned
            before = np.zeros(3) if step.parent < 0 else self.graph.steps[step.parent].at
            place = pin.SE3(np.eye(3), step.at - before)
            tree.addJoint(root + 1 + step.parent, kind(step.axis), place, step.name)
        for node, body in self.graph.masses:
            if node >= 0:
                inertia = pin.Inertia.Zero()  # filled afterward: printed inertias may belong to no body
                inertia.mass, inertia.lever, inertia.inertia = (
                    body.mass,
                    body.center_of_mass,
                    body.inertia,
                )
                self._append(tree, root, node, inertia)
        if payload is not None:
            name, frame = self.tool
            m, h, (xx, yy, zz, xy, xz, yz) = payload[0], payload[1:4], payload[4:]
            inertia = pin.Inertia.FromDynamicParameters(np.array([m, *h, xx, xy, yy, xz, yz, zz]))
            inertia = pin.SE3(np.array(frame.R), np.array(frame.p)).act(inertia)
            self._append(tree, root, self.graph.nodes[name], inertia)
        return tree

    def _append(self, tree: pin.Model, root: int, node: int, inertia: pin.Inertia) -> None:
        place = pin.SE3(np.eye(3), -self.graph.steps[node].at)
        tree.appendBodyToJoint(root + 1 + node, inertia, place)

    @property
    def tool(self):
        if self.model.tool is not None:
            return self.model.tool
        part = self.model.parts[-1]
        return part.name, part.frame

    def _twists(self) -> set[tuple[str, str]]:
        """Bodies of which all six pose coordinates are declared."""
        seen: dict[tuple[str, str], set] = {}
        for each in self.model.coordinates:
            if each.pose is not None:
                seen.setdefault((each.of, each.relative_to), set()).add(each.pose)
        return {key for key, poses in seen.items() if len(poses) == 6}

    def _check_inertia(self) -> None:
        q = np.random.default_rng(0).uniform(-0.5, 0.5, self.nv)
        M = self._tree_mass(q)
        zero = np.zeros(self.nv)
        rest = pin.rnea(self.tree, self.data, q, zero, zero)
        columns = [pin.rnea(self.tree, self.data, q, zero, e) - rest for e in np.eye(self.nv)]
        scale = max(np.abs(M).max(), np.abs(rest).max())
        assert np.abs(M - np.array(columns)).max() < 1e-11 * scale, "crba does not agree with rnea"

    def _tree_mass(self, q: np.ndarray) -> np.ndarray:
        M = np.array(pin.crba(self.tree, self.data, q))
        return np.triu(M) + np.triu(M, 1).T

    @cached_property
    def home(self) -> np.ndarray:
        poses: dict[str, np.ndarray] = {}
        values = []
        for each in self.model.coordinates:
            key = (each.of, each.relative_to)
            if each.pose is None:
                values.append(0.0)
                continue
            poses.setdefault(key, home_pose(self.model, *key))
            values.append(poses[key][POSE.index(each.pose)])
        return np.array(values)

    def scalar(self, at: Kinematics, name: str) -> Scalar:
        """A joint's or a cylinder's coordinate, from home."""
        if name in self.index:
            k = self.index[name]
            return Scalar(float(at.q[k]), np.eye(self.nv)[k], 0.0)
        joint, a, b = self.graph.closing[name]
        if joint.kind == "revolute":
            return at.angle(a, b, joint.axes[0])
        return at.along(a, b, unit(joint.axes[0]), joint.at, joint.at)

    def coordinates(self, at: Kinematics) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Values, rows and drifts of the declared coordinates."""
        values, rows, drifts = [], [], []
        poses: dict[tuple[str, str], tuple] = {}
        for each in self.model.coordinates:
            if each.pose is None:
                scalar = self.scalar(at, each.of)
                values.append(scalar.value)
                rows.append(scalar.row)
                drifts.append(scalar.drift)
                continue
            key, k = (each.of, each.relative_to), POSE.index(each.pose)
            if key not in poses:
                value, J, drift = at.pose(*key)
                if key not in self.twist_of:
                    B, extra = angle_rates(value[3:], J[3:] @ at.qd)
                    J = np.vstack([J[:3], B @ J[3:]])
                    drift = np.concatenate([drift[:3], B @ drift[3:] + extra])
                poses[key] = value, J, drift
            value, J, drift = poses[key]
            values.append(value[k])
            rows.append(J[k])
            drifts.append(drift[k])
        return np.array(values), np.array(rows), np.array(drifts)

    def constraints(self, at: Kinematics) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """All closures, then couplings: residuals, rows, drifts."""
        parts = [at.closure(each) for each in self.graph.closures]
        for coupling in self.model.couplings:
            scalars = [(self.scalar(at, name), ratio) for name, ratio in coupling.terms]
            value = sum(ratio * scalar.value for scalar, ratio in scalars)
            row = sum(ratio * scalar.row for scalar, ratio in scalars)
            drift = sum(ratio * scalar.drift for scalar, ratio in scalars)
            parts.append((np.array([value]), row[None], np.array([drift])))
        if not parts:
            return np.zeros(0), np.zeros((0, self.nv)), np.zeros(0)
        values, rows, drifts = (np.concatenate(column) for column in zip(*parts, strict=True))
        return values, rows, drifts

    def mobility(self, q: np.ndarray | None = None) -> int:
        zero = np.zeros(self.nv)
        J = self.constraints(Kinematics(self, zero if q is None else q, zero))[1]
        return (
            self.nv - int(np.linalg.matrix_rank(J, tol=RANK * max(1.0, np.abs(J).max())))
            if len(J)
            else self.nv
        )

    def shape(self, q: np.ndarray) -> Shape:
        at = Kinematics(self, q, np.zeros(self.nv))
        J, X = self.constraints(at)[1], self.coordinates(at)[1]
        n = len(X)
        C = np.vstack([J, X])
        if np.linalg.matrix_rank(C, tol=1e-7) < self.nv:
            return Shape(self.mobility(q), np.inf, 0.0, np.inf)
        G = solved(C, np.vstack([np.zeros((len(J), n)), np.eye(n)]))
        drives = np.linalg.svd(self._drives(at) @ G)[1]
        smallest = float(drives[n - 1]) if len(drives) >= n else 0.0
        mass = float(np.linalg.cond(G.T @ self._mass(at) @ G))
        return Shape(self.mobility(q), float(np.abs(G).max()), smallest, mass)

    def position(self, c: np.ndarray, steps: int = 8) -> tuple[np.ndarray, float]:
        """Tree coordinates from home and the largest residual; along a straight line of c from home."""
        q = np.zeros(self.nv)
        angles = np.array([each.pose in POSE[3:] for each in self.model.coordinates])
        for share in np.linspace(0.0, 1.0, steps + 1)[1:]:
            goal = self.home + share * (c - self.home)
            q = self._newton(q, goal, angles, 40 if share == 1.0 else 6)
        return q, self._residual(q, c, angles)[0]

    def _residual(self, q: np.ndarray, c: np.ndarray, angles: np.ndarray):
        at = Kinematics(self, q, np.zeros(self.nv))
        phi, J, _ = self.constraints(at)
        x, X, _ = self.coordinates(at)
        off = x - c
        off[angles] = (off[angles] + np.pi) % (2 * np.pi) - np.pi
        # Gauss-Newton needs derivatives of the angles, also where rates are twists
        for of, relative_to in self.twist_of:
            value, twist, _ = at.pose(of, relative_to)
            B = angle_rates(value[3:], np.zeros(3))[0]
            for k, each in enumerate(self.model.coordinates):
                if (each.of, each.relative_to) == (of, relative_to) and each.pose in POSE[3:]:
                    X[k] = B[POSE.index(each.pose) - 3] @ twist[3:]
        error = np.concatenate([phi, off])
        return float(np.abs(error).max(initial=0.0)), error, np.vstack([J, X])

    def _newton(self, q: np.ndarray, c: np.ndarray, angles: np.ndarray, most: int) -> np.ndarray:
        size, error, C = self._residual(q, c, angles)
        for _ in range(most):
            step = -solved(C, error)
            for damping in (1.0, 0.5, 0.2, 0.05):
                trial = self._residual(q + damping * step, c, angles)
                if trial[0] < size:
                    break
            else:
                break
            q, (size, error, C) = q + damping * step, trial
            if size < 1e-15:
                break
        return q

    def _moving(self, c: np.ndarray, cd: np.ndarray):
        q, residual = self.position(c)
        still = Kinematics(self, q, np.zeros(self.nv))
        J, X = self.constraints(still)[1], self.coordinates(still)[1]
        C = np.vstack([J, X])
        G = solved(C, np.vstack([np.zeros((len(J), len(cd))), np.eye(len(cd))]))
        qd = G @ cd
        at = Kinematics(self, q, qd)
        drift = np.concatenate([self.constraints(at)[2], self.coordinates(at)[2]])
        return at, J, G, -solved(C, drift), residual

    def _drives(self, at: Kinematics) -> np.ndarray:
        """Rows of efforts: joints and cylinders in the order of the file, then motors with ratios."""
        ratios = {motor.name: motor.terms for motor in self.model.motors}
        rows = []
        for name in self.model.effort_names:
            terms = ratios.get(name, ((name, 1.0),))
            rows.append(sum(ratio * self.scalar(at, joint).row for joint, ratio in terms))
        return np.array(rows).reshape(-1, self.nv)

    def _rotors(self, at: Kinematics) -> list[tuple[np.ndarray, float, float]]:
        """Row, drift and inertia of every rotor."""
        found = []
        for each in self.model.elements:
            if each.rotor:
                scalar = self.scalar(at, each.name)
                found.append((scalar.row, scalar.drift, each.rotor))
        for motor in self.model.motors:
            if motor.rotor:
                scalars = [(self.scalar(at, name), ratio) for name, ratio in motor.terms]
                row = sum(ratio * scalar.row for scalar, ratio in scalars)
                found.append((row, sum(ratio * scalar.drift for scalar, ratio in scalars), motor.rotor))
        return found

    def _passive(self, at: Kinematics, friction: bool) -> np.ndarray:
        """Efforts that friction and springs take."""
        need = np.zeros(self.nv)
        for each in self.model.elements:
            if each.name in self.index or each.name in self.graph.closing:
                scalar = self.scalar(at, each.name)
                rate = float(scalar.row @ at.qd)
                need += scalar.row * self.passive_effort(each, scalar.value, rate, friction)
        for each in self.model.springs:
            a, b = (self.graph.nodes[name] for name in each.joins)
            scalar = at.distance(a, b, each.start, each.end)
            need += scalar.row * _pull(each.spring, scalar.value)
        for rub in self.graph.rubbings if friction else ():
            Ja, Jb = self.rubbing_rows(at, rub)
            need += rub.viscous * (Jb - Ja).T @ ((Jb - Ja) @ at.qd)
        return need

    def passive_effort(
        self, each: MechanismJoint | Cylinder, value: float, rate: float, friction: bool
    ) -> float:
        """What friction and spring of a joint or cylinder take at a value from home."""
        taken = 0.0
        if each.spring is not None:
            taken += _pull(each.spring, value + _rest(each))
        if friction:
            law = each.friction
            dry = law.coulomb_forward if rate > RESTS else law.coulomb_backward if rate < -RESTS else 0.0
            taken += law.viscous * rate + dry + law.offset
        return taken

    def rubbing_rows(self, at: Kinematics, rub: Rubbing) -> tuple[np.ndarray, np.ndarray]:
        """Jacobians of the angular velocities of a and b; a strut that is free to spin turns along."""
        Ja, Jb = at.spatial(rub.a)[0][3:], at.spatial(rub.b)[0][3:]
        if rub.spin is None:
            return Ja, Jb
        s = at.rotation(rub.spinless) @ rub.spin
        bare = np.eye(3) - np.outer(s, s)
        return bare @ Ja, bare @ Jb

    def _need(
        self, at: Kinematics, qdd: np.ndarray, wrench, gravity, base_motion, friction: bool, rotors: bool
    ):
        base = np.zeros(9) if base_motion is None else np.asarray(base_motion, float)
        self.floating.gravity.linear = np.array(
            self.model.gravity if gravity is None else gravity, float
        )
        q = np.concatenate([np.zeros(6), [1.0], at.q])
        v = np.concatenate([np.zeros(3), base[:3], at.qd])
        a = np.concatenate([base[6:], base[3:6], qdd])
        need = np.array(pin.rnea(self.floating, self.floating_data, q, v, a))[6:]
        if rotors:
            for row, drift, inertia in self._rotors(at):
                need += row * inertia * (row @ qdd + drift)
        need += self._passive(at, friction)
        if wrench is not None:
            name, frame = self.tool
            node = self.graph.nodes[name]
            R = at.rotation(node) @ frame.R
            J = at.point_motion(node, frame.p)[0]
            need -= J.T @ (R @ wrench[:3]) + at.spatial(node)[0][3:].T @ (R @ wrench[3:])
        return need

    def _mass(self, at: Kinematics, rotors: bool = True) -> np.ndarray:
        M = self._tree_mass(at.q)
        for row, _, inertia in self._rotors(at) if rotors else ():
            M = M + inertia * np.outer(row, row)
        return M

    def inverse(
        self, c, cd, cdd, wrench=None, gravity=None, base_motion=None, friction=True, rotors=True
    ) -> np.ndarray:
        """Efforts of the motors, of least norm. The wrench acts on the tool, in its axes."""
        at, _, G, drift, _ = self._moving(np.asarray(c, float), np.asarray(cd, float))
        need = self._need(at, drift + G @ cdd, wrench, gravity, base_motion, friction, rotors)
        return solved((self._drives(at) @ G).T, G.T @ need)

    def forward(
        self, c, cd, tau, wrench=None, gravity=None, base_motion=None, friction=True, rotors=True
    ) -> np.ndarray:
        at, _, G, drift, _ = self._moving(np.asarray(c, float), np.asarray(cd, float))
        need = self._need(at, drift, wrench, gravity, base_motion, friction, rotors)
        M = G.T @ self._mass(at, rotors) @ G
        return np.linalg.solve(M, G.T @ (self._drives(at).T @ tau - need))

    def forward_by_multipliers(self, c, cd, tau) -> np.ndarray:
        """The same from the whole system with its multipliers, no projection."""
        at, J, _, _, _ = self._moving(np.asarray(c, float), np.asarray(cd, float))
        n, m = self.nv, len(J)
        system = np.block([[self._mass(at), J.T], [J, np.zeros((m, m))]])
        load = self._drives(at).T @ tau - self._need(at, np.zeros(n), None, None, None, True, True)
        found = np.linalg.lstsq(system, np.concatenate([load, -self.constraints(at)[2]]), rcond=1e-13)[0]
        _, X, drift = self.coordinates(at)
        return X @ found[:n] + drift

    def all_joints(self, at: Kinematics, qdd: np.ndarray) -> tuple[dict, dict, dict]:
        q = dict(zip(self.names, at.q + self.home_q, strict=True))
        qd, qdd_of = dict(zip(self.names, at.qd, strict=True)), dict(zip(self.names, qdd, strict=True))
        for name in self.graph.closing:
            scalar = self.scalar(at, name)
            q[name], qd[name] = scalar.value, float(scalar.row @ at.qd)
            qdd_of[name] = float(scalar.row @ qdd + scalar.drift)
        return q, qd, qdd_of

    def state(self, c, cd, cdd, **options) -> State:
        """Everything about one state of motion; `options` as those of `inverse`."""
        c, cd, cdd = (np.asarray(x, float) for x in (c, cd, cdd))
        at, J, G, drift, residual = self._moving(c, cd)
        qdd = drift + G @ cdd
        how = {
            "wrench": None,
            "gravity": None,
            "base_motion": None,
            "friction": True,
            "rotors": True,
        } | options
        need = self._need(at, qdd, **how)
        drives = self._drives(at)
        tau = solved((drives @ G).T, G.T @ need)
        mass = G.T @ self._mass(at, how["rotors"]) @ G
        bias = G.T @ self._need(at, drift, **how)
        poses, twists = {}, {}
        for part in self.model.parts:
            node = self.graph.nodes[part.name]
            poses[part.name] = np.eye(4)
            poses[part.name][:3, :3] = at.rotation(node)
            poses[part.name][:3, 3] = at.point(node, np.zeros(3))
            w = at.spatial(node)[1][3:]
            twists[part.name] = np.concatenate([at.point_motion(node, part.frame.p)[1], w])
        kinetic = 0.5 * at.qd @ self._mass(at, how["rotors"]) @ at.qd
        q, qd, qdds = self.all_joints(at, qdd)
        wrenches = joint_wrenches(self, at, qdd, J, tau, how)
        return State(
            q,
            qd,
            qdds,
            tau,
            poses,
            twists,
            wrenches,
            float(kinetic),
            self.potential(at),
            mass,
            bias,
            residual,
        )

    def potential(self, at: Kinematics) -> float:
        total = 0.0
        for node, body in self.graph.masses:
            total -= body.mass * float(self.model.gravity @ at.point(node, body.center_of_mass))
        stretched = [
            (self.scalar(at, each.name).value + _rest(each), each.spring)
            for each in self.model.elements
            if each.spring is not None
        ]
        for each in self.model.springs:
            a, b = (self.graph.nodes[name] for name in each.joins)
            stretched.append((at.distance(a, b, each.start, each.end).value, each.spring))
        for value, spring in stretched:
            stretch = value - spring.free
            total += spring.preload * stretch + 0.5 * spring.stiffness * stretch**2
        return total
