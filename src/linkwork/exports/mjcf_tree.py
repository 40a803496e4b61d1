"""Which joints of a mechanism carry bodies in MuJoCo's tree, and which close loops."""

from __future__ import annotations

from dataclasses import dataclass

from linkwork.core.errors import InputError
from linkwork.model.mechanism import BASE, MechanismJoint, MechanismModel, driven_names

# What should rather be in the tree: a ball is the easiest to tie.
ORDER = ("fixed", "universal", "prismatic", "revolute", "spherical")


@dataclass(frozen=True, eq=False)
class Branch:
    """A body hung from another by a joint, whose second body it is (sense 1) or first (-1); without a
    joint, by the coordinates of its pose."""

    parent: str
    child: str
    joint: MechanismJoint | None = None
    sense: int = 1


@dataclass(frozen=True, eq=False)
class Tree:
    """Branches from the base outward, and the joints that close loops."""

    branches: tuple[Branch, ...]
    closing: tuple[MechanismJoint, ...]

    @staticmethod
    def of(model: MechanismModel) -> Tree:
        """Posed bodies, then joints that are coordinates or have a motor, then others."""
        edges = [Branch(host, body) for body, host in posed_bodies(model).items()]
        wanted = {each.of for each in model.coordinates} | driven_names(model)
        joints = sorted(model.joints, key=lambda each: (each.name not in wanted, ORDER.index(each.kind)))
        edges += [Branch(*joint.joins, joint) for joint in joints]
        group = {BASE: BASE, **{part.name: part.name for part in model.parts}}
        kept, closing = [], []
        for edge in edges:
            one, other = group[edge.parent], group[edge.child]
            if one != other:
                group = {body: one if root == other else root for body, root in group.items()}
                kept.append(edge)
            elif edge.joint is not None:
                closing.append(edge.joint)
        loose = [body for body, root in group.items() if root != group[BASE]]
        if loose:
            raise InputError(
                f"{model.name}: mjcf hangs bodies on joints; {', '.join(loose)} are held by rods or "
                "cylinders only and their poses are no coordinates. Make them coordinates."
            )
        return Tree(_outwards(kept), tuple(closing))


def posed_bodies(model: MechanismModel) -> dict[str, str]:
    """Bodies with pose coordinates, and what these are seen from."""
    return {each.of: each.relative_to for each in model.coordinates if each.pose is not None}


def _outwards(edges: list[Branch]) -> tuple[Branch, ...]:
    """From the base on, each from a body that is there."""
    there, found, left = {BASE}, [], list(edges)
    while left:
        edge = next(each for each in left if each.parent in there or each.child in there)
        left.remove(edge)
        if edge.parent not in there:
            if edge.joint is None:
                raise InputError(f"mjcf: {edge.child} is posed seen from a body that hangs on it.")
            edge = Branch(edge.child, edge.parent, edge.joint, -1)
        there.add(edge.child)
        found.append(edge)
    return tuple(found)
