"""Random arms for finding out what a misprint does to torques."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import casadi as ca
import numpy as np

from linkwork.mechanics.chain import newton_euler
from linkwork.mechanics.chain.chain import Chain, chain_of
from linkwork.mechanics.expressions import SX
from linkwork.model.families.arm import ArmModel, dh_joint
from linkwork.model.geometry import Body
from linkwork.model.joint import JointKind
from linkwork.robot.robot import Array

ARMS, STATES, JOINTS = 6, 50, 6

Torques = Callable[[Chain, SX, SX, SX], list[SX]]  # chain, q, qd, qdd
Misprints = Mapping[str, tuple[str, str, Torques]]  # where: printed, right, what the print computes


def random_model(seed: int, prismatic: bool = False) -> ArmModel:
    """Six joints with full inertias and general twists; a third of them prismatic, if asked.

    The constant angle of a prismatic joint is zero: a chain turns it into the frame before, and frames
    mixed up as printed would not be those of the book.
    """
    rng = np.random.default_rng(seed)
    joints = []
    for k in range(JOINTS):
        A = rng.normal(size=(3, 3))
        J = 0.02 * (A @ A.T)  # about the center of mass: any such J belongs to a body
        body = Body.of(rng.uniform(1, 5), 0.2 * rng.normal(size=3), np.trace(J) * np.eye(3) - J)
        kind: JointKind = "prismatic" if prismatic and k % 3 == 1 else "revolute"
        theta, d, a, alpha = rng.uniform(0.2, 0.8, 4)
        theta *= kind == "revolute"
        joints.append(
            dh_joint(
                "standard", kind, theta=theta, d=d, a=a, alpha=alpha, name=f"joint{k + 1}", body=body
            )
        )
    return ArmModel(f"random {seed}", tuple(joints))


def torques_of(model: ArmModel, rule: Torques, states: Sequence[Array]) -> Array:
    q, qd, qdd = (SX.sym(name, JOINTS) for name in ("q", "qd", "qdd"))
    found = ca.vertcat(*rule(chain_of(model, q), q, qd, qdd))
    function = ca.Function("torques", [q, qd, qdd], [found])
    return np.array(function(*(part.T for part in states))).T


def right_torques(chain: Chain, q: SX, qd: SX, qdd: SX) -> list[SX]:
    return newton_euler.torques(chain, qd, qdd)


def median_errors(wrong: Mapping[str, Torques], prismatic: bool = False) -> dict[str, float]:
    """Median over arms and states of |wrong - right| / |right|, norms over the joints."""
    errors: dict[str, list[Array]] = {name: [] for name in wrong}
    for seed in range(ARMS):
        model = random_model(seed, prismatic)
        rng = np.random.default_rng(1000 + seed)
        states = [rng.normal(size=(STATES, JOINTS)) for _ in range(3)]
        truth = torques_of(model, right_torques, states)
        for name, rule in wrong.items():
            difference = torques_of(model, rule, states) - truth
            ratio = np.linalg.norm(difference, axis=1) / np.linalg.norm(truth, axis=1)
            errors[name].append(ratio)
    return {name: float(np.median(values)) for name, values in errors.items()}


def misprint_rows(
    misprints: Misprints, errors: Mapping[str, float], put_right: str
) -> list[list[object]]:
    """Where, printed, right, and the error of the torque [%] if it is taken literally; last the check.

    Args:
        errors: by the places of the misprints, and "none" for equations without them.
        put_right: what was computed there, in words.
    """
    rows: list[list[object]] = [
        [where, printed, right, f"{100 * errors[where]:.2g}"]
        for where, (printed, right, _) in misprints.items()
    ]
    return [*rows, ["none", put_right, "", f"{100 * errors['none']:.0e}"]]
