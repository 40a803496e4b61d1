"""What is told of a mechanism: its tree, its loops and how they are solved."""

from __future__ import annotations

import pytest

import linkwork as lw
from linkwork.mechanics.mechanism.description import describe


def test_a_palletizer_follows_linearly() -> None:
    found = describe(lw.load("palletizer").model)
    tree = {one.body: one for one in found.tree}
    assert tree["carousel"].known_by == "coordinate"
    assert tree["upper-arm"].known_by == "= drive - shoulder"
    assert tree["knee"].known_by == "= -shoulder"
    assert tree["tool"].depth == 4
    assert [one.name for one in found.loops] == ["link-end", "level-1b", "level-2b", "balancer"]
    assert (found.relations, found.closed_forms, found.newton) == (6, 0, 0)
    # In a plane, each pin that closes a loop has three constraints too many, the balancer's one.
    assert [one.redundant for one in found.loops] == [3, 3, 3, 1]
    assert found.redundant == 10


def test_rods_dyads_and_couplings() -> None:
    ankle, gripper = (describe(lw.load(name).model) for name in ("ankle", "gripper"))
    assert {one.solved_by for one in ankle.loops} == {"closed form, rod"}
    assert (ankle.closed_forms, ankle.redundant) == (2, 0)
    assert gripper.loops[0].solved_by == "closed form, dyad"
    assert gripper.couplings == ("right + left = 0",)
    assert gripper.motors == ("left",)


@pytest.mark.parametrize("name", lw.bundled_names("mechanism"))
def test_the_tree_has_all_bodies_and_the_rest_closes_loops(name: str) -> None:
    model = lw.load(name).model
    found = describe(model)
    assert sorted(one.body for one in found.tree) == sorted(part.name for part in model.parts)
    placed = {one.joint for one in found.tree}
    names = {each.name for each in (*model.joints, *model.struts)}
    assert {one.name for one in found.loops} == names - placed
    assert len(found.freedoms) == len(model.coordinates)
    assert found.mass == pytest.approx(model.mass)
