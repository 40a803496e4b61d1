"""Which joints of a URDF an arm moves: a chain from base to tip; what is beside it is held still."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from linkwork.core.text import shown as shown_quantity
from linkwork.files.faults import Fault, FaultyError, shown, suggestion, warn
from linkwork.model.geometry import displacement
from linkwork.model.joint import Limits
from linkwork.model.urdf.elements import MOVING, UrdfJoint, UrdfLink
from linkwork.model.urdf.tree import reached

MOST_NAMED = 10


@dataclass(frozen=True)
class ChainSelection:
    """What to read of a URDF: the links at both ends, and joints to hold still at a position."""

    tip: str | None = None
    base: str | None = None
    fix: Mapping[str, float] = field(default_factory=dict)

    @property
    def given(self) -> bool:
        return self.tip is not None or self.base is not None or bool(self.fix)


def selected(
    links: Sequence[UrdfLink], joints: Sequence[UrdfJoint], chain: ChainSelection
) -> tuple[list[UrdfLink], list[UrdfJoint]]:
    """The links behind the base, and their joints with all beside the chain fixed.

    The joints must form a tree. FaultyError with what is wrong with the choice.
    """
    _refuse_unknown(links, joints, chain)
    links, joints = _behind(chain.base, links, joints)
    parent = {joint.child: joint for joint in joints}
    wanted = _way_to(chain.tip, parent) if chain.tip is not None else list(parent)
    if chain.tip is not None and chain.tip not in {link.name for link in links}:
        raise FaultyError([Fault(f"link {chain.tip!r}", f"is not behind the base link {chain.base!r}")])
    held = dict(chain.fix)
    chosen = []
    for joint in joints if chain.tip is not None else ():
        beside = joint.type in MOVING and joint.name not in wanted and joint.mimic is None
        if beside and joint.name not in held:
            held[joint.name] = _middle(joint)
            chosen.append(f"{joint.name} at {shown_quantity(held[joint.name], _unit(joint))}")
    if chosen:
        more = f" and {len(chosen) - MOST_NAMED} more" if len(chosen) > MOST_NAMED else ""
        warn(
            f"held still beside the chain to {chain.tip!r}: {', '.join(chosen[:MOST_NAMED])}{more}; "
            "--fix JOINT=POSITION, or fix= in Python, holds them elsewhere"
        )
    fixed = [_fixed(joint, held, {other.name: other for other in joints}) for joint in joints]
    return links, fixed


def _refuse_unknown(
    links: Sequence[UrdfLink], joints: Sequence[UrdfJoint], chain: ChainSelection
) -> None:
    names = [link.name for link in links]
    faults = [
        Fault("", f"{what} link {shown(name)} does not exist{suggestion(name, names)}")
        for what, name in (("tip", chain.tip), ("base", chain.base))
        if name is not None and name not in names
    ]
    moving = [joint.name for joint in joints if joint.type in MOVING]
    faults += [
        Fault(
            "", f"joint {shown(name)} to fix does not exist or does not move{suggestion(name, moving)}"
        )
        for name in chain.fix
        if name not in moving
    ]
    if faults:
        raise FaultyError(faults)


def _behind(
    base: str | None, links: Sequence[UrdfLink], joints: Sequence[UrdfJoint]
) -> tuple[list[UrdfLink], list[UrdfJoint]]:
    if base is None:
        return list(links), list(joints)
    kept = reached([base], joints)
    return (
        [link for link in links if link.name in kept],
        [joint for joint in joints if joint.parent in kept],
    )


def _way_to(tip: str, parent: Mapping[str, UrdfJoint]) -> list[str]:
    """Names of the joints from the base to a link; once around where links hang on each other."""
    names: dict[str, None] = {}
    while tip in parent and parent[tip].name not in names:
        names[parent[tip].name] = None
        tip = parent[tip].parent
    return list(names)


def _unit(joint: UrdfJoint) -> str:
    return "rad" if MOVING[joint.type] == "revolute" else "m"


def _middle(joint: UrdfJoint) -> float:
    """Zero, or the nearest position that the joint's limits allow."""
    low, high = joint.limits.position or (0.0, 0.0)
    return min(max(0.0, low), high) if joint.limits.position else 0.0


def _fixed(joint: UrdfJoint, held: Mapping[str, float], joints: Mapping[str, UrdfJoint]) -> UrdfJoint:
    """The joint as a fixed one if it is held still, or follows one that is."""
    position = held.get(joint.name)
    if position is None and joint.mimic is not None and joint.mimic.joint in held:
        position = joint.mimic.multiplier * held[joint.mimic.joint] + joint.mimic.offset
    if position is None or joint.type not in MOVING:
        return joint
    motion = displacement(MOVING[joint.type], joint.axis, position)
    still = {"type": "fixed", "limits": Limits(), "mimic": None}
    return replace(joint, origin=joint.origin @ motion, **still)  # type: ignore[arg-type]


def mimic_faults(joints: Sequence[UrdfJoint], advice: str) -> Iterator[Fault]:
    """Joints that move with another: a serial arm has a motor for every joint."""
    for joint in joints:
        if joint.mimic is not None:
            what = f"mimics joint {joint.mimic.joint!r}; hold both still, as in {advice}"
            yield Fault(f"joint {joint.name!r}", what, joint.line)


def command(joints: Sequence[UrdfJoint], source: str) -> str:
    """The command line that reads the longest chain, with everything beside it held still."""
    parent = {joint.child: joint for joint in joints}
    ways = {link: _way_to(link, parent) for link in parent}
    moving = {joint.name: joint for joint in joints if joint.type in MOVING}
    own = {name: joint for name, joint in moving.items() if joint.mimic is None}

    def count(link: str) -> tuple[int, int]:
        return sum(name in own for name in ways[link]), len(ways[link])

    mimics = {joint.mimic.joint for joint in moving.values() if joint.mimic is not None}
    beside = {name for name in moving if name not in own or name in mimics}
    free = [link for link, way in ways.items() if beside.isdisjoint(way)]
    tip = max(free or list(ways), key=count)
    words = ["linkwork", "show", source, "--tip", tip]
    for name, joint in own.items():
        if name not in ways[tip]:
            words += ["--fix", f"{name}={_middle(joint):g}"]
    return shlex.join(words)
