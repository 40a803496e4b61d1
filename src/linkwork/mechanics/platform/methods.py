"""Every quantity that a platform can compute, as a CasADi function of pose, twist and forces.

The exact ones are those of its mechanism, six cylinders that carry a body whose pose and twist are the
coordinates, under the names of the field; the papers' equations stand beside them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import casadi as ca

from linkwork.mechanics.expressions import SX, row_major, stack
from linkwork.mechanics.linear import solve_orthogonal
from linkwork.mechanics.mechanism import regressor
from linkwork.mechanics.mechanism.conditions import conditions
from linkwork.mechanics.mechanism.jacobians import stiffness
from linkwork.mechanics.mechanism.methods import METHODS as OF_MECHANISMS
from linkwork.mechanics.mechanism.methods import PARTS
from linkwork.mechanics.mechanism.robot_dynamics import MechanismDynamics
from linkwork.mechanics.mechanism.struts import Strut
from linkwork.mechanics.methods import (
    Expression,
    Method,
    Options,
    Outputs,
    Symbols,
    express_method,
    symbolic,
)
from linkwork.mechanics.platform import legs, margins
from linkwork.mechanics.published.dynamics import (
    FORMULATIONS,
    LegKinematics,
    LegReactions,
    PublishedDynamics,
)
from linkwork.mechanics.snapshot import PAYLOAD, SNAPSHOT, WEIGHT, of_platform, scaled_gravity
from linkwork.mechanics.snapshot import SIZES as SNAPSHOT_SIZES
from linkwork.model.families.stewart import LEGS, PlatformModel, platform_at
from linkwork.model.geometry import Transform
from linkwork.model.mechanism import MechanismModel
from linkwork.model.parameters import BODY, CYLINDER, DRIVE

SIZES = {
    "twist": 6,
    "acceleration": 6,
    "force": 6,
    "wrench": 6,
    "lengths": 6,
    "rates": 6,
    "gravity": 3,
    "base_motion": 9,
    "settings": len(margins.SETTINGS),
    **SNAPSHOT_SIZES,
}
NEWTON_STEPS = 6


@dataclass(frozen=True, eq=False)
class PlatformDynamics:
    """`model` is what the robot file says: limits, home."""

    model: PlatformModel
    exact: MechanismDynamics
    published: PublishedDynamics | None = None

    @property
    def chosen(self) -> MechanismDynamics | PublishedDynamics:
        return self.exact if self.published is None else self.published

    def reactions(self, acceleration: SX) -> list[LegReactions]:
        """Forces and moments in the joints of every leg."""
        if self.published is not None:
            return self.published.reactions(acceleration)
        return legs.reactions(self.exact, acceleration)

    def leg_kinematics(self, acceleration: SX) -> list[LegKinematics]:
        """How every leg moves, with its true spin or as a paper has it."""
        if self.published is not None:
            return self.published.leg_kinematics(acceleration)
        return legs.kinematics(self.exact, acceleration)


Express = Callable[[PlatformDynamics, Symbols, Options], Outputs]
# Inputs of a mechanism's methods, and what they are called here.
WORDS = {"c": "pose", "cd": "twist", "cdd": "acceleration", "tau": "force"}


def _of_mechanism(name: str, **outputs: str) -> Express:
    """A method of the mechanism that the platform is; some outputs have other names."""

    def express(platform: PlatformDynamics, s: Symbols, options: Options) -> Outputs:
        given = {own: s[word] for own, word in WORDS.items() if word in s}
        found = OF_MECHANISMS[name].express(platform.exact, given, options)
        return {outputs.get(own, own): value for own, value in found.items()}

    return express


def _inverse_dynamics(platform: PlatformDynamics, s: Symbols, options: Options) -> Outputs:
    return {"force": (platform.chosen.inverse(s["acceleration"]), (LEGS,))}


def _forward_dynamics(platform: PlatformDynamics, s: Symbols, options: Options) -> Outputs:
    return {"acceleration": (platform.chosen.forward(s["force"]), (6,))}


def _regressor(platform: PlatformDynamics, s: Symbols, options: Options) -> Outputs:
    """The mechanism's columns in the order of `platform_parameters`."""
    Y = regressor.regressor(platform.exact, s["acceleration"])
    body, leg, drive = len(BODY), len(CYLINDER), len(DRIVE)
    found, dry, rotors = [Y[:, 0:body]], [], []
    for k in range(LEGS):
        own = Y[:, body + k * leg : body + (k + 1) * leg]
        start = body + LEGS * leg + k * drive
        rotor, viscous, forward, backward, _ = ca.horzsplit(Y[:, start : start + drive])
        found += [own[:, : 2 * body], own[:, 2 * body], viscous, own[:, 2 * body + 1]]
        dry.append(forward - backward)
        rotors.append(rotor)
    found += dry if platform.model.has_coulomb else []
    Y = ca.horzcat(*found, *(rotors if platform.model.has_rotors else []))
    return {"Y": (Y, (Y.size1(), Y.size2()))}


def _stiffness(platform: PlatformDynamics, s: Symbols, options: Options) -> Outputs:
    return {"K": (stiffness(platform.exact), (6, 6))}


def _margins(platform: PlatformDynamics, s: Symbols, options: Options) -> Outputs:
    found = margins.margins(platform.exact, platform.model, s["settings"])
    return {name: (value, ()) for name, value in found.items()}


def _clearances(platform: PlatformDynamics, s: Symbols, options: Options) -> Outputs:
    """Cosines of the legs' angles from their mounting axes, and the legs as vectors."""
    found = legs.legs_of(platform.exact, platform.exact.place)
    directions = [leg.S / ca.norm_2(leg.S) for leg in found]
    cosines = margins.angle_cosines(platform.model, platform.exact.c, directions)
    base, top = (ca.vertcat(*each) for each in zip(*cosines, strict=True))
    return {
        "universal": (base, (LEGS,)),
        "spherical": (top, (LEGS,)),
        "reach": (stack([leg.S for leg in found]), (LEGS, 3)),
    }


def _condition_number(platform: PlatformDynamics, s: Symbols, options: Options) -> Outputs:
    return {"condition": (margins.condition_number(platform.exact, platform.model), ())}


def _demand(platform: PlatformDynamics, s: Symbols, options: Options) -> Outputs:
    """The square of every leg's force, and over all legs: greatest force, shortest and longest length,
    greatest speed and greatest power. For sweeps of many variants."""
    return _of_legs(platform, s["acceleration"])[0]


def _demand_and_limits(platform: PlatformDynamics, s: Symbols, options: Options) -> Outputs:
    """The same, and what is used of every limit of the robot file."""
    outputs, moving, force = _of_legs(platform, s["acceleration"])
    used = margins.used_limits(platform.exact, platform.model, moving, force)
    return outputs | {f"used_{name}": (value, ()) for name, value in used.items()}


def _of_legs(platform: PlatformDynamics, acceleration: SX) -> tuple[Outputs, list[Strut], SX]:
    robot = platform.exact
    force = robot.inverse(acceleration)
    moving = legs.legs_of(robot, robot.moving(acceleration))
    lengths, rates = [leg.frame[0] for leg in moving], [leg.motion[0] for leg in moving]
    outputs: Outputs = {
        "force": (legs.greatest([ca.fabs(force[k]) for k in range(LEGS)]), ()),
        "square": (force**2, (LEGS,)),
        "shortest": (-legs.greatest([-length for length in lengths]), ()),
        "longest": (legs.greatest(lengths), ()),
        "speed": (legs.greatest([ca.fabs(rate) for rate in rates]), ()),
        "power": (legs.greatest([ca.fabs(force[k] * rate) for k, rate in enumerate(rates)]), ()),
    }
    return outputs, moving, force


def _of_pose(measure: Callable[[MechanismDynamics, PlatformModel], SX]) -> Method[PlatformDynamics]:
    """One number of a pose, for sweeps of many variants."""

    def express(platform: PlatformDynamics, s: Symbols, options: Options) -> Outputs:
        return {"value": (measure(platform.exact, platform.model), ())}

    return Method(("pose",), express)


def _lowest_frequency(robot: MechanismDynamics, model: PlatformModel) -> SX:
    """With motors held."""
    held = robot.sharing(rotors=False)
    return margins.lowest_frequency(stiffness(robot), held.mass_matrix())


def _least_stiffness(robot: MechanismDynamics, model: PlatformModel) -> SX:
    return margins.least_translational_stiffness(stiffness(robot))


def _mass_matrix(platform: PlatformDynamics, s: Symbols, options: Options) -> Outputs:
    return {"M": (platform.chosen.mass_matrix(), (6, 6))}


def _bias(platform: PlatformDynamics, s: Symbols, options: Options) -> Outputs:
    return {"bias": (platform.chosen.bias(), (6,))}


def _task_space(platform: PlatformDynamics, s: Symbols, options: Options) -> Outputs:
    return {"M": (platform.chosen.mass_matrix(), (6, 6)), "h": (platform.chosen.bias(), (6,))}


def _joint_reactions(platform: PlatformDynamics, s: Symbols, options: Options) -> Outputs:
    found = platform.reactions(s["acceleration"])
    return {
        name: (stack([getattr(leg, name) for leg in found]), (LEGS, 3)) for name in LegReactions._fields
    }


def _leg_kinematics(platform: PlatformDynamics, s: Symbols, options: Options) -> Outputs:
    found = platform.leg_kinematics(s["acceleration"])
    outputs: Outputs = {}
    for name in LegKinematics._fields:
        values = [getattr(leg, name) for leg in found]
        scalar = values[0].numel() == 1
        outputs[name] = (ca.vertcat(*values), (LEGS,)) if scalar else (stack(values), (LEGS, 3))
    return outputs


def _link_motion(platform: PlatformDynamics, s: Symbols, options: Options) -> Outputs:
    found = legs.body_motions(platform.exact, s["acceleration"])
    names = legs.CenterMotion._fields
    return {name: (stack([getattr(body, name) for body in found]), (len(found), 3)) for name in names}


def _J(robot: MechanismDynamics) -> SX:
    return ca.horzcat(*legs.columns(robot)).T


def _jacobian(platform: PlatformDynamics, s: Symbols, options: Options) -> Outputs:
    return {"J": (_J(platform.exact), (LEGS, 6))}


def _jacobian_rate(platform: PlatformDynamics, s: Symbols, options: Options) -> Outputs:
    robot = platform.exact
    rate = ca.jtimes(row_major(_J(robot)), robot.c, robot.layout.rate(robot.c, s["twist"]))
    return {"J_rate": (ca.reshape(rate, 6, LEGS).T, (LEGS, 6))}


def _leg_lengths(platform: PlatformDynamics, s: Symbols, options: Options) -> Outputs:
    return {"lengths": (ca.vertcat(*legs.lengths(platform.exact)), (LEGS,))}


def _conditions(platform: PlatformDynamics, s: Symbols, options: Options) -> Outputs:
    """With whole lengths of the legs, as the limits of a platform have them."""
    given = s | {own: s[word] for own, word in WORDS.items() if word in s}
    lengths = ca.vertcat(*legs.lengths(platform.exact))
    return conditions(platform.exact, given, options) | {"q": (lengths, (LEGS,))}


def _snapshot(platform: PlatformDynamics, s: Symbols, options: Options) -> Outputs:
    gravity = scaled_gravity(platform.model.gravity, s[WEIGHT])
    weighted = replace(platform.exact, gravity=gravity)
    return of_platform(weighted, platform.model, s["acceleration"], s[PAYLOAD])


def _newton(platform: PlatformDynamics, s: Symbols, options: Options) -> Outputs:
    pose, error = legs.newton(platform.exact, s["lengths"], NEWTON_STEPS)
    return {"solution": (pose, (7,)), "error": (error, ())}


def _twist_from_rates(platform: PlatformDynamics, s: Symbols, options: Options) -> Outputs:
    J = _J(platform.exact)
    return {"twist": (solve_orthogonal([J[:, k] for k in range(6)], s["rates"]), (6,))}


MOTION, STATE = ("pose", "twist", "acceleration"), ("pose", "twist")
ACTING = ("gravity", "wrench")
CARRIED = (*ACTING, "base_motion")
PUBLISHED = ("deviations", "form", "frames")
METHODS: dict[str, Method[PlatformDynamics]] = {
    "inverse_dynamics": Method(MOTION, _inverse_dynamics, (*PARTS, *PUBLISHED), CARRIED, FORMULATIONS),
    "forward_dynamics": Method(
        (*STATE, "force"), _forward_dynamics, (*PARTS, *PUBLISHED), CARRIED, FORMULATIONS
    ),
    "inverse_dynamics_derivatives": Method(
        MOTION,
        _of_mechanism("inverse_dynamics_derivatives", dc="dq", dcd="dqd", dcdd="dqdd"),
        PARTS,
        ACTING,
    ),
    "forward_dynamics_derivatives": Method(
        (*STATE, "force"),
        _of_mechanism("forward_dynamics_derivatives", dc="dq", dcd="dqd"),
        PARTS,
        ACTING,
    ),
    "joint_reactions": Method(MOTION, _joint_reactions, PUBLISHED, CARRIED, FORMULATIONS),
    "task_space": Method(STATE, _task_space, PUBLISHED, CARRIED, FORMULATIONS),
    "regressor": Method(MOTION, _regressor, (), ("gravity",)),
    "demand": Method(MOTION, _demand, (), ACTING),
    "demand_and_limits": Method(MOTION, _demand_and_limits, (), ACTING),
    "lowest_frequency": _of_pose(_lowest_frequency),
    "least_stiffness": _of_pose(_least_stiffness),
    "joint_angle": _of_pose(margins.joint_angle),
    "singularity_distance": _of_pose(margins.singularity_distance),
    "leg_distance": _of_pose(margins.leg_distance),
    "joint_spacing": _of_pose(margins.joint_spacing),
    "margins": Method(("pose", "settings"), _margins, (), ("gravity",)),
    "condition_number": Method(("pose",), _condition_number),
    "clearances": Method(("pose",), _clearances),
    "conditions": Method(MOTION, _conditions, PARTS, (*ACTING, PAYLOAD)),
    "mass_matrix": Method(("pose",), _mass_matrix, ("rotors", *PUBLISHED), (), FORMULATIONS),
    "stiffness": Method(("pose",), _stiffness, (), ACTING),
    "bias": Method(STATE, _bias, ("friction", *PUBLISHED), CARRIED, FORMULATIONS),
    "gravity_load": Method(("pose",), _of_mechanism("gravity_load", tau="force"), (), ("gravity",)),
    "leg_kinematics": Method(MOTION, _leg_kinematics, PUBLISHED, (), FORMULATIONS),
    "link_motion": Method(MOTION, _link_motion),
    "energy": Method(STATE, _of_mechanism("energy"), (), ("gravity",)),
    "jacobian": Method(("pose",), _jacobian),
    "jacobian_dot": Method(STATE, _jacobian_rate),
    "leg_lengths": Method(("pose",), _leg_lengths),
    SNAPSHOT: Method((*MOTION, PAYLOAD, WEIGHT), _snapshot, PARTS, ("wrench",)),
    "newton": Method(("lengths", "pose"), _newton),
    "twist_from_rates": Method(("pose", "rates"), _twist_from_rates),
}


def express(
    model: PlatformModel, mechanism: MechanismModel, method: str, options: Options
) -> Expression:
    """The CasADi function of a method and the shapes of its outputs; `mechanism` is the platform's."""
    own = None if options.gravity is None else SX(ca.DM(options.gravity))
    changed, parameters = symbolic(model, options.parameters)
    # A pose is absolute, so that the platform may be drawn anywhere: here its numbers are the file's.
    drawn = platform_at(changed, Transform())

    def dynamics(symbols: Symbols) -> PlatformDynamics:
        pose, twist, wrench = symbols["pose"], symbols.get("twist"), symbols.get("wrench")
        gravity, base = symbols.get("gravity", own), symbols.get("base_motion")
        exact = MechanismDynamics(
            drawn,
            pose,
            twist,
            friction=options.friction,
            rotors=options.rotors,
            gravity=gravity,
            wrench=wrench,
            base_motion=base,
            numbers=mechanism,
        )
        if options.deviations is None:
            return PlatformDynamics(changed, exact)
        given = changed if options.rotors else changed.without(rotors=True)
        published = PublishedDynamics(given, pose, options.deviations, twist, gravity, wrench, base)
        return PlatformDynamics(changed, exact, published)

    sizes = {**SIZES, "pose": options.size}
    return express_method(method, METHODS[method], options, sizes, dynamics, parameters)
