"""What goes through the joints: multipliers of the closures, then the balance of every body.

Where multipliers are not unique, a joint that none of their free combinations loads is determinate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from tests.oracles.mechanism_kinematics import Kinematics
    from tests.oracles.pinocchio_mechanism import Oracle


@dataclass(frozen=True)
class JointWrench:
    """What a does to b: force, moment about the joint's point, base axes; motor and friction included.

    Of rods and cylinders `name` is what they do to b at their end, `name start` what a does to them,
    `name slide` what a cylinder's barrel does to its rod, about the end.
    """

    force: np.ndarray
    moment: np.ndarray
    determinate: bool


Wrenches = dict[str, np.ndarray]


def _push(force: np.ndarray, at: np.ndarray) -> np.ndarray:
    return np.concatenate([force, np.cross(at, force)])


def _twist(moment: np.ndarray) -> np.ndarray:
    return np.concatenate([np.zeros(3), moment])


class Balance:
    """Wrenches about the base's origin at one state."""

    def __init__(self, oracle: Oracle, at: Kinematics) -> None:
        self.oracle, self.at = oracle, at
        self.fictions = np.zeros((oracle.nv, 6))

    def inertial(self) -> np.ndarray:
        """What every subtree needs; after inverse dynamics of this state."""
        data, rows = self.oracle.floating_data, []
        for k in range(self.oracle.nv):
            R, p = self.at.places[k + 1]
            force = R @ np.array(data.f[k + 2].linear)
            rows.append(_push(force, p) + _twist(R @ np.array(data.f[k + 2].angular)))
        return np.array(rows)

    def closing(self, multipliers: np.ndarray) -> Wrenches:
        """By closure, what a does to b."""
        at, found, k = self.at, {}, 0
        for each in self.oracle.graph.closures:
            total, place = np.zeros(6), at.point(each.b, each.at)
            if each.point:
                total += _push(multipliers[k : k + 3], place)
                k += 3
            for vector in each.flat:
                total += _push(multipliers[k] * (at.rotation(each.a) @ vector), place)
                k += 1
            for of_a, of_b in each.angles:
                u, v = at.rotation(each.a) @ of_a, at.rotation(each.b) @ of_b
                total += _twist(multipliers[k] * np.cross(v, u))
                k += 1
            found[each.name] = total
        return found

    def along_joints(self, multipliers: np.ndarray) -> dict[str, float]:
        """Efforts of couplings at joints."""
        model = self.oracle.model
        found: dict[str, float] = {}
        for k, coupling in enumerate(model.couplings, len(multipliers) - len(model.couplings)):
            for name, ratio in coupling.terms:
                found[name] = found.get(name, 0.0) + ratio * multipliers[k]
        return found

    def cut_effort(self, name: str, effort: float) -> np.ndarray:
        """An effort about or along a joint that is cut, as a wrench on b."""
        joint, a, b = self.oracle.graph.closing[name]
        axis = self.at.rotation(a) @ (joint.axes[0] / np.linalg.norm(joint.axes[0]))
        if joint.kind == "revolute":
            return _twist(effort * axis)
        return _push(effort * axis, self.at.point(b, joint.at))

    def whole(self, cut: Wrenches, others: list[tuple[int, np.ndarray]], need: np.ndarray) -> Wrenches:
        """All joints' wrenches from those of the cut ones and other loads on nodes."""
        oracle, at = self.oracle, self.at
        loads = list(others)
        for each in oracle.graph.closures:
            loads += [(each.b, cut[each.name]), (each.a, -cut[each.name])]
        carried = need.copy()
        for node, load in loads:
            if node >= 0:
                carried -= oracle.support[node][:, None] * load
        found: Wrenches = {}

        def put(name: str, wrench: np.ndarray, place: np.ndarray) -> None:
            found[name] = np.concatenate([wrench[:3], wrench[3:] - np.cross(place, wrench[:3])])

        for each in oracle.graph.closures:
            put(each.name, cut[each.name], at.point(each.b, each.at))
        turned = {rod.name for rod in oracle.model.rods if rod.axis is None and rod.far_axis is not None}
        struts = {each.name: each for each in oracle.model.struts}
        for name, (first, last, place, sign) in oracle.graph.carried.items():
            if name not in struts:
                put(name, sign * carried[last], at.point(last, place))
                continue
            foot = at.point(first, oracle.graph.steps[first].at)
            if name in turned:
                put(f"{name} start", -cut[name], at.point(last, place))
                put(name, -carried[first], foot)
                continue
            put(f"{name} start", carried[first], foot)
            if name in oracle.index:
                put(f"{name} slide", carried[last], at.point(last, place))
        return found


def joint_wrenches(
    oracle: Oracle, at: Kinematics, qdd: np.ndarray, J: np.ndarray, tau: np.ndarray, how: dict
) -> dict[str, JointWrench]:
    need = oracle._need(at, qdd, **how)
    balance = Balance(oracle, at)
    inertial = balance.inertial()
    short = need - oracle._drives(at).T @ tau
    multipliers = np.linalg.lstsq(J.T, short, rcond=1e-9)[0] if len(J) else np.zeros(0)
    cut = balance.closing(multipliers)
    efforts = balance.along_joints(multipliers)
    ratios = {motor.name: motor.terms for motor in oracle.model.motors}
    for name, effort in zip(oracle.model.effort_names, tau, strict=True):
        for driven, ratio in ratios.get(name, ((name, 1.0),)):
            efforts[driven] = efforts.get(driven, 0.0) + ratio * effort
    for name in oracle.graph.closing:
        joint = oracle.graph.closing[name][0]
        scalar = oracle.scalar(at, name)
        rate = float(scalar.row @ at.qd)
        taken = oracle.passive_effort(joint, scalar.value, rate, how["friction"])
        if how["rotors"]:
            taken += joint.rotor * float(scalar.row @ qdd + scalar.drift)
            for motor in oracle.model.motors:
                taken += _share(oracle, at, qdd, motor, name)
        cut[name] = cut[name] + balance.cut_effort(name, efforts.get(name, 0.0) - taken)
    others: list[tuple[int, np.ndarray]] = []
    for each in oracle.model.springs:
        a, b = (oracle.graph.nodes[name] for name in each.joins)
        start, end = at.point(a, each.start), at.point(b, each.end)
        way = end - start
        length = float(np.linalg.norm(way))
        law = each.spring
        pull = (law.preload + law.stiffness * (length - law.free)) * way / length
        others += [(a, _push(pull, start)), (b, _push(-pull, end))]
    ends = {each.name for each in oracle.graph.closures}
    for rub in oracle.graph.rubbings if how["friction"] else ():
        Ja, Jb = oracle.rubbing_rows(at, rub)
        moment = _twist(-rub.viscous * (Jb - Ja) @ at.qd)
        if rub.closing and rub.name in ends:
            cut[rub.name] = cut[rub.name] + moment
    if how["wrench"] is not None:
        name, frame = oracle.tool
        node = oracle.graph.nodes[name]
        R, place = at.rotation(node) @ frame.R, at.point(node, frame.p)
        force, moment = R @ how["wrench"][:3], R @ how["wrench"][3:]
        others.append((node, _push(force, place) + _twist(moment)))
    found = balance.whole(cut, others, inertial)
    loose = _free_combinations(J)
    doubtful = dict.fromkeys(found, 0.0)
    for vector in loose.T:
        alone = balance.closing(vector)
        for name, effort in balance.along_joints(vector).items():
            if name in alone:
                alone[name] = alone[name] + balance.cut_effort(name, effort)
        for name, wrench in balance.whole(alone, [], balance.fictions).items():
            doubtful[name] = max(doubtful[name], float(np.abs(wrench).max()))
    return {
        name: JointWrench(wrench[:3], wrench[3:], doubtful[name] < 1e-7)
        for name, wrench in found.items()
    }


def _share(oracle: Oracle, at: Kinematics, qdd: np.ndarray, motor, name: str) -> float:
    """Rotor of a motor with ratios, felt at one of its joints."""
    ratio = dict(motor.terms).get(name, 0.0)
    if not (ratio and motor.rotor):
        return 0.0
    scalars = [(oracle.scalar(at, joint), r) for joint, r in motor.terms]
    return ratio * motor.rotor * sum(r * float(scalar.row @ qdd + scalar.drift) for scalar, r in scalars)


def _free_combinations(J: np.ndarray) -> np.ndarray:
    if not len(J):
        return np.zeros((0, 0))
    u, s, _ = np.linalg.svd(J)
    return u[:, int((s > 1e-9 * s[0]).sum()) :]
