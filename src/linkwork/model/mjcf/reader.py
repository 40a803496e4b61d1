"""Mechanisms from MuJoCo's models, as MuJoCo itself compiles them.

Defaults, includes, inertia from geometry and units are MuJoCo's business: this takes its numbers at
the configuration where its loops are closed. Bodies that do not move against each other, welded ones
too, are one body here. What the mechanism cannot say is named in one warning.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from typing import Any

import numpy as np

from linkwork.files.faults import Document, Fault, FaultyError, warn
from linkwork.model.geometry import SAME, Array, Body, Transform, distance, frozen
from linkwork.model.joint import Friction, Limits
from linkwork.model.linkage import Linkage, mechanism_of
from linkwork.model.mechanism import (
    BASE,
    Coupling,
    Cylinder,
    MechanismJoint,
    MechanismJointKind,
    MechanismModel,
    Motor,
    Part,
    PointSpring,
    Spring,
    Terms,
)
from linkwork.model.mjcf.actuators import Actuator, Actuators
from linkwork.model.mjcf.home import home_configuration, open_loop
from linkwork.model.mjcf.remarks import left_out

INSTALL = "MuJoCo's models are read by MuJoCo itself: pip install 'linkwork[mjcf]'"
KINDS: dict[str, MechanismJointKind] = {
    "mjJNT_HINGE": "revolute", "mjJNT_SLIDE": "prismatic", "mjJNT_BALL": "spherical",
}  # fmt: skip
TOOLS = (
    "tip",
    "attachment_site",
    "tool",
    "tcp",
    "grip_site",
    "ee_site",
    "end_effector",
)  # sites of tools


def mjcf_mechanism(path: str) -> tuple[MechanismModel, Document]:
    """The mechanism of a model file; FaultyError if MuJoCo does not take it or it is none."""
    try:
        import mujoco
    except ImportError:
        raise FaultyError([Fault("", INSTALL)]) from None
    try:
        m = mujoco.MjModel.from_xml_path(path)
    except ValueError as error:
        raise FaultyError(
            [Fault("", f"MuJoCo does not read it: {' '.join(str(error).split())}")]
        ) from None
    found = Reader(mujoco, m, path)
    model = found.mechanism()
    if found.remarks:
        warn(f"{path}: {'; '.join(found.remarks)}")
    return model, Document({"coordinates": [each.name for each in model.coordinates]}, {})


def _called(m: Any, kind: str, count: int) -> list[str]:
    """Names of all elements of a kind; those without one are numbered."""
    given = [str(getattr(m, kind)(k).name) for k in range(count)]
    taken = set(given)
    for k, name in enumerate(given):
        number = k
        while not name:
            name = "" if f"{kind}{number}" in taken else f"{kind}{number}"
            number += count
        given[k] = name
        taken.add(name)
    return given


class Reader:
    """A model and its data at home; `group` has for each body the first one that it is rigid with."""

    def __init__(self, mujoco: Any, m: Any, path: str) -> None:
        self.mujoco, self.m, self.path = mujoco, m, path
        if not m.nv:
            raise FaultyError([Fault("", "no body of it moves: it has no joint")])
        m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
        m.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
        self.actuators = Actuators.of(mujoco, m)
        held = np.zeros(m.nv, dtype=bool)
        held[[m.jnt_dofadr[j] for j in self.actuators.joints]] = True
        self.d, self.home = home_configuration(mujoco, m, held)
        counts = {"body": m.nbody, "joint": m.njnt, "equality": m.neq, "tendon": m.ntendon}
        self.called = {kind: _called(m, kind, count) for kind, count in counts.items()}
        self.remarks = [*left_out(mujoco, m), *self.actuators.remarks]
        self.group = self._rigid()
        self.names = self._body_names()
        self.taken = {self._name("joint", j) for j in range(m.njnt)}

    def mechanism(self) -> MechanismModel:
        joints, crosses, floating = self._joints()
        ties, couplings = self._equalities()
        cylinders, springs = self._spatial_tendons()
        motors = (self._motor(each) for each in self.actuators.tendons if self._is_fixed(each.on))
        return mechanism_of(
            Linkage(
                name=self.m.names[: self.m.names.find(b"\0")].decode() or "mechanism",
                parts=(*self._parts(), *crosses),
                joints=(*joints, *ties),
                floating=tuple(floating),
                couplings=tuple(couplings),
                motors=tuple(motors),
                cylinders=tuple(cylinders),
                springs=tuple(springs),
                tool=self._tool(),
                gravity=self._gravity(),
                source=self.path,
            )
        )

    # Bodies

    def _rigid(self) -> Array:
        """The first body of every body's rigid group."""
        m, eq = self.m, self.mujoco.mjtEq
        group = np.arange(m.nbody)

        def join(a: int, b: int) -> None:
            low, high = sorted((group[a], group[b]))
            group[group == high] = low

        for body in range(1, m.nbody):
            if not m.body_jntnum[body]:
                join(body, m.body_parentid[body])
        for k in self._active(eq.mjEQ_WELD):
            a, b = (self._body_of(k, obj) for obj in (m.eq_obj1id[k], m.eq_obj2id[k]))
            if (m.body_mocapid[[a, b]] >= 0).any():
                self.remarks.append(f"weld {self._name('equality', k)} to a mocap body is left out")
            else:
                join(a, b)
        return group

    def _active(self, *kinds: Any) -> Iterator[int]:
        for k in range(self.m.neq):
            if self.m.eq_active0[k] and self._kind(k) in kinds:
                yield k

    def _kind(self, k: int) -> Any:
        return self.mujoco.mjtEq(int(self.m.eq_type[k]))

    def _body_of(self, k: int, obj: int) -> int:
        """Of one end of an equality, which names a body or a site."""
        sites = self.m.eq_objtype[k] == int(self.mujoco.mjtObj.mjOBJ_SITE)
        return int(self.m.site_bodyid[obj] if sites else obj)

    def _body_names(self) -> dict[int, str]:
        """By group; the base is the group of the world."""
        names, taken = {0: BASE}, {BASE}
        for body in sorted(set(self.group) - {0}):
            name = self._name("body", body)
            while name in taken:
                name += "-link"
            names[body] = name
            taken.add(name)
        return names

    def _name(self, kind: str, k: int) -> str:
        return self.called[kind][k]

    def _own(self, name: str) -> str:
        """A name that no joint has: MuJoCo has other names for other kinds."""
        while name in self.taken:
            name += " closure"
        self.taken.add(name)
        return name

    def _held(self, body: int) -> str:
        """The name of the rigid body that contains a body of MuJoCo."""
        return self.names[int(self.group[body])]

    def _parts(self) -> Iterator[Part]:
        m, d = self.m, self.d
        for first, name in self.names.items():
            if name == BASE:
                continue
            members = np.flatnonzero(self.group == first)
            turns = (d.ximat[k].reshape(3, 3) for k in members)
            bodies = [
                Body.of(m.body_mass[k], d.xipos[k], R @ np.diag(m.body_inertia[k]) @ R.T)
                for k, R in zip(members, turns, strict=True)
            ]
            yield Part(name, reduce(Body.merged_with, bodies), Transform.of(None, d.xpos[first]))

    # Joints

    def _joints(self) -> tuple[list[MechanismJoint], list[Part], list[str]]:
        """Joints, bodies without mass between those of one body, and bodies that float."""
        m, d = self.m, self.d
        joints: list[MechanismJoint] = []
        crosses: list[Part] = []
        floating: list[str] = []
        for body in range(1, m.nbody):
            first, count = int(m.body_jntadr[body]), int(m.body_jntnum[body])
            carrier, carried = self._held(m.body_parentid[body]), self._held(body)
            if count and carrier == carried:
                self.remarks.append(f"joints of body {self._name('body', body)} are held by a weld")
                continue
            for j in range(first, first + count):
                kind = self.mujoco.mjtJoint(int(m.jnt_type[j])).name
                if kind == "mjJNT_FREE":
                    floating.append(carried)
                    continue
                after = carried
                if j < first + count - 1:
                    after = f"{carried} {self._name('joint', j)}"
                    crosses.append(Part(after, Body(), Transform.of(None, d.xanchor[j])))
                joints.append(self._joint(j, KINDS[kind], (carrier, after)))
                carrier = after
        return joints, crosses, floating

    def _joint(self, j: int, kind: MechanismJointKind, joins: tuple[str, str]) -> MechanismJoint:
        m, dof, name = self.m, int(self.m.jnt_dofadr[j]), self._name("joint", j)
        if kind == "spherical":
            friction = Friction(viscous=float(m.dof_damping[dof]))
            return MechanismJoint(name, kind, joins, frozen(self.d.xanchor[j]), friction=friction)
        loss = float(m.dof_frictionloss[dof])
        home, motor = float(self.home[m.jnt_qposadr[j]]), self.actuators.joints.get(j)
        spring = None
        if m.jnt_stiffness[j]:
            spring = Spring(float(m.jnt_stiffness[j]), float(m.qpos_spring[m.jnt_qposadr[j]]) - home)
        limits = [motor.effort_at_joint] if motor else []
        if m.jnt_actfrclimited[j]:
            limits.append(float(np.abs(m.jnt_actfrcrange[j]).max()))
        position = tuple((m.jnt_range[j] - home).tolist()) if m.jnt_limited[j] else None
        return MechanismJoint(
            name,
            kind,
            joins,
            frozen(self.d.xanchor[j]),
            (frozen(self.d.xaxis[j]),),
            motor=motor is not None,
            rotor=float(m.dof_armature[dof]) + (motor.rotor if motor else 0.0),
            friction=Friction(
                float(m.dof_damping[dof]) + (motor.viscous if motor else 0.0), loss, -loss
            ),
            limits=Limits(position, effort=min((each for each in limits if each), default=None)),
            spring=spring,
        )

    # Loops and couplings

    def _equalities(self) -> tuple[list[MechanismJoint], list[Coupling]]:
        m, eq = self.m, self.mujoco.mjtEq
        ties: list[MechanismJoint] = []
        couplings: list[Coupling] = []
        for k in self._active(*self.mujoco.mjtEq.__members__.values()):
            name, kind, data = self._name("equality", k), self._kind(k), m.eq_data[k]
            if kind == eq.mjEQ_WELD:
                continue
            if kind == eq.mjEQ_CONNECT:
                joins = tuple(
                    self._held(self._body_of(k, obj)) for obj in (m.eq_obj1id[k], m.eq_obj2id[k])
                )
                at, other = self._anchor(k, 0), self._anchor(k, 1)
                if distance(at, other) > SAME:  # MuJoCo leaves out what nothing can close
                    raise open_loop(distance(at, other))
                if joins[0] != joins[1]:
                    ties.append(MechanismJoint(self._own(name), "spherical", joins, frozen(at)))  # type: ignore[arg-type]
            elif kind not in (eq.mjEQ_JOINT, eq.mjEQ_TENDON):
                self.remarks.append(f"equality {name} of type {kind.name[6:].lower()} is left out")
            elif data[2:5].any():
                self.remarks.append(f"equality {name} is left out: its coupling is not linear")
            else:
                couplings.append(Coupling(self._coupled(k, -float(data[1]))))
        return ties, couplings

    def _anchor(self, k: int, end: int) -> Array:
        """The point of one end of a `connect`, in base axes."""
        m, d, obj = self.m, self.d, (self.m.eq_obj1id[k], self.m.eq_obj2id[k])[end]
        if m.eq_objtype[k] == int(self.mujoco.mjtObj.mjOBJ_SITE):
            return np.array(d.site_xpos[obj])
        return np.array(d.xpos[obj] + d.xmat[obj].reshape(3, 3) @ m.eq_data[k][3 * end : 3 * end + 3])

    def _coupled(self, k: int, ratio: float) -> Terms:
        """Joints or tendons of which one follows the other, or stands still."""
        m = self.m
        tendons = self._kind(k) == self.mujoco.mjtEq.mjEQ_TENDON
        terms: dict[str, float] = {}
        for obj, factor in ((m.eq_obj1id[k], 1.0), (m.eq_obj2id[k], ratio)):
            if obj < 0 or not factor:
                continue
            for name, share in (
                self._terms(obj, factor) if tendons else ((self._name("joint", obj), factor),)
            ):
                terms[name] = terms.get(name, 0.0) + share
        return tuple(terms.items())

    # Tendons

    def _is_fixed(self, tendon: int) -> bool:
        joint = int(self.mujoco.mjtWrap.mjWRAP_JOINT)
        return bool(self.m.wrap_type[self.m.tendon_adr[tendon]] == joint)

    def _terms(self, tendon: int, factor: float) -> Terms:
        m, first = self.m, self.m.tendon_adr[tendon]
        places = range(first, first + m.tendon_num[tendon])
        return tuple(
            (self._name("joint", m.wrap_objid[k]), factor * float(m.wrap_prm[k])) for k in places
        )

    def _motor(self, each: Actuator) -> Motor:
        """On several joints: its turn is gear times the tendon's length."""
        m, gear = self.m, each.gear
        rotor = each.armature + float(m.tendon_armature[each.on]) / gear**2
        dry = float(m.tendon_frictionloss[each.on]) / abs(gear)
        viscous = each.damping + float(m.tendon_damping[each.on]) / gear**2
        friction = Friction(viscous, dry, -dry)
        terms = self._terms(each.on, gear)
        return Motor(each.name, terms, rotor, friction, Limits(effort=each.effort))

    def _spatial_tendons(self) -> tuple[list[Cylinder], list[PointSpring]]:
        """Those of two sites: a cylinder without mass where an actuator pushes, else a spring."""
        m, site = self.m, int(self.mujoco.mjtWrap.mjWRAP_SITE)
        cylinders: list[Cylinder] = []
        springs: list[PointSpring] = []
        pushed = {each.on: each for each in self.actuators.tendons}
        for t in range(m.ntendon):
            first = m.tendon_adr[t]
            wraps = slice(first, first + m.tendon_num[t])
            two_sites = m.tendon_num[t] == 2 and (m.wrap_type[wraps] == site).all()
            name = self._name("tendon", t)
            if self._is_fixed(t):
                continue
            if not two_sites:
                self.remarks.append(f"tendon {name} is left out: it is not straight from site to site")
                continue
            first_site, last_site = m.wrap_objid[wraps]
            joins = self._held(m.site_bodyid[first_site]), self._held(m.site_bodyid[last_site])
            start, end = frozen(self.d.site_xpos[first_site]), frozen(self.d.site_xpos[last_site])
            low, high = m.tendon_lengthspring[t]
            spring = Spring(float(m.tendon_stiffness[t]), float(low)) if m.tendon_stiffness[t] else None
            if spring and low != high:
                what = f"tendon {name}: its spring is left out, as it is slack over a range"
                self.remarks.append(what)
                spring = None
            motor, loss = pushed.get(t), float(m.tendon_frictionloss[t])
            friction = Friction(float(m.tendon_damping[t]), loss, -loss)
            if motor or friction.acts:
                position = None
                if m.tendon_limited[t]:
                    position = tuple((m.tendon_range[t] - distance(start, end)).tolist())
                cylinders.append(
                    Cylinder(
                        self._own(name),
                        joins,
                        start,
                        end,
                        hinge="spherical",
                        axis=None,
                        barrel=Body(),
                        rod=Body(),
                        motor=motor is not None,
                        rotor=motor.rotor if motor else 0.0,
                        friction=friction,
                        limits=Limits(position, effort=motor.effort_at_joint if motor else None),
                        spring=spring,
                    )
                )
            elif spring:
                springs.append(PointSpring(name, joins, start, end, spring))
        return cylinders, springs

    # The whole

    def _gravity(self) -> Array:
        off = self.m.opt.disableflags & self.mujoco.mjtDisableBit.mjDSBL_GRAVITY
        return frozen(np.zeros(3) if off else self.m.opt.gravity)

    def _tool(self) -> tuple[str, Transform] | None:
        """The first site that is called as tools are."""
        for word in TOOLS:
            for k in range(self.m.nsite):
                body = self._held(self.m.site_bodyid[k])
                if self.m.site(k).name == word and body != BASE:
                    R = self.d.site_xmat[k].reshape(3, 3)
                    return body, Transform.of(R, self.d.site_xpos[k])
        return None
