"""The oracle of mechanisms itself: reference data, MuJoCo, balances of bodies and of power."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from linkwork.model.geometry import Body, Transform
from tests.mechanism_reference import MECHANISMS, error, model, reference
from tests.oracles.mechanism_kinematics import Kinematics
from tests.oracles.mujoco_mechanism import MujocoMechanism
from tests.oracles.pinocchio_mechanism import Oracle
from tests.random_mechanisms import MODULES, random_mechanism, random_states, sketched

SOME = range(0, 20, 4)
# Most of them with the long tests.
SEEDS = [
    seed if seed % 100 == 0 else pytest.param(seed, marks=pytest.mark.long) for seed in range(0, 500, 20)
]


def drawn(seed: int) -> tuple[Oracle, np.ndarray, np.ndarray, np.ndarray]:
    mechanism = random_mechanism(seed)
    c, cd, cdd = random_states(mechanism, np.random.default_rng(seed), 1)
    return Oracle(mechanism), c[0], cd[0], cdd[0]


@pytest.mark.parametrize("name", MECHANISMS)
def test_it_gives_the_reference_results(name: str):
    oracle, data = Oracle(model(name)), reference(name)
    assert list(oracle.model.effort_names) == list(data["motors"])
    assert [each.name for each in oracle.model.coordinates] == list(data["coordinates"])
    rows = list(SOME)
    c, cd, cdd = oracle.home + data["c"], data["cd"], data["cdd"]
    states = [oracle.state(c[k], cd[k], cdd[k]) for k in rows]
    assert error(np.array([state.tau for state in states]), data["tau"][rows]) < 1e-12
    for forward in (oracle.forward, oracle.forward_by_multipliers):
        found = np.array([forward(c[k], cd[k], data["tau_in"][k]) for k in rows])
        assert error(found, data["cdd_out"][rows]) < 1e-10
    assert max(state.residual for state in states) < 1e-13
    for quantity in ("q", "qd", "qdd") if "q" in data else ():
        scale = np.abs(data[quantity]).max()
        for column, joint in enumerate(data["q_names"]):
            values = np.array([getattr(state, quantity)[joint] for state in states])
            if quantity == "q":
                values -= oracle.home_q[oracle.index[joint]]
            assert np.abs(values - data[quantity][rows, column]).max() < 1e-11 * scale


@pytest.mark.parametrize("seed", SEEDS)
def test_random_mechanisms_close_and_move_as_declared(seed: int):
    oracle, c, cd, cdd = drawn(seed)
    q, residual = oracle.position(c)
    assert residual < 1e-12
    assert oracle.mobility() == oracle.mobility(q) == len(oracle.model.coordinates)
    tau = oracle.inverse(c, cd, cdd)
    scale = np.abs(cdd).max()
    assert np.abs(oracle.forward(c, cd, tau) - cdd).max() < 1e-9 * scale
    assert np.abs(oracle.forward_by_multipliers(c, cd, tau) - cdd).max() < 1e-6 * scale


@pytest.mark.long
def test_all_random_mechanisms_close_and_move_as_declared():
    for seed in range(500):
        test_random_mechanisms_close_and_move_as_declared(seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_forces_balance_on_every_body(seed: int):
    oracle, c, cd, cdd = drawn(seed)
    wrench = np.random.default_rng(seed).normal(size=6)
    wrenches = oracle.state(c, cd, cdd, wrench=wrench).wrenches
    at, _, G, drift, _ = oracle._moving(c, cd)
    qdd = drift + G @ cdd
    mechanism, nodes = oracle.model, oracle.graph.nodes
    welded = {name for joint in mechanism.joints if joint.kind == "fixed" for name in joint.joins}
    for part in mechanism.parts:
        if part.name in welded:
            continue
        node = nodes[part.name]
        center = at.point(node, part.body.center_of_mass)
        force, moment = -_inertial(oracle, at, qdd, part)
        loads = []
        for joint in mechanism.joints:
            if part.name in joint.joins:
                sign = 1.0 if joint.joins[1] == part.name else -1.0
                place = at.point(nodes[joint.joins[1]], joint.at)
                loads.append((sign, wrenches[joint.name].force, wrenches[joint.name].moment, place))
        for strut in mechanism.struts:
            ends = ((f"{strut.name} start", strut.start, -1.0), (strut.name, strut.end, 1.0))
            for joined, (name, place, sign) in zip(strut.joins, ends, strict=True):
                if joined == part.name:
                    at_end = at.point(node, place)
                    loads.append((sign, wrenches[name].force, wrenches[name].moment, at_end))
        for spring in mechanism.springs:
            start, end = (
                at.point(nodes[n], p)
                for n, p in zip(spring.joins, (spring.start, spring.end), strict=True)
            )
            length = np.linalg.norm(end - start)
            law = spring.spring
            pull = (law.preload + law.stiffness * (length - law.free)) * (end - start) / length
            for joined, sign, place in zip(spring.joins, (1.0, -1.0), (start, end), strict=True):
                if joined == part.name:
                    loads.append((sign, pull, np.zeros(3), place))
        name, frame = oracle.tool
        if name == part.name:
            R = at.rotation(node) @ frame.R
            loads.append((1.0, R @ wrench[:3], R @ wrench[3:], at.point(node, frame.p)))
        for sign, f, n, place in loads:
            force = force + sign * f
            moment = moment + sign * (n + np.cross(place - center, f))
        scale = 1.0 + max(np.abs(f).max() for _, f, _, _ in loads)
        assert np.abs(force).max() < 1e-9 * scale
        if not part.point:
            assert np.abs(moment).max() < 1e-9 * scale


def _inertial(oracle: Oracle, at: Kinematics, qdd: np.ndarray, part) -> np.ndarray:
    """Force and moment about its center that a body's motion needs, less its weight."""
    node, body = oracle.graph.nodes[part.name], part.body
    J, velocity, drift = at.spatial(node)
    Jp, _, drift_p = at.point_motion(node, body.center_of_mass)
    R = at.rotation(node)
    inertia, w = R @ body.inertia @ R.T, velocity[3:]
    turning = inertia @ (J[3:] @ qdd + drift[3:]) + np.cross(w, inertia @ w)
    return np.array([body.mass * (Jp @ qdd + drift_p - oracle.model.gravity), turning])


@pytest.mark.parametrize("seed", SEEDS)
def test_power_goes_into_energy(seed: int):
    mechanism = random_mechanism(seed)
    c, cd, cdd = (x[0] for x in random_states(mechanism, np.random.default_rng(seed), 1))
    oracle = Oracle(mechanism)
    if oracle.twist_of:
        pytest.skip("rates are twists, not derivatives of the coordinates")
    state = oracle.state(c, cd, cdd, friction=False)
    h = 1e-4

    def energy(t: float) -> float:
        still = np.zeros(len(c))
        found = oracle.state(c + cd * t + cdd * t * t / 2, cd + cdd * t, still, friction=False)
        return found.kinetic + found.potential

    change = (8 * (energy(h) - energy(-h)) - energy(2 * h) + energy(-2 * h)) / (12 * h)
    at, _, G, _, _ = oracle._moving(c, cd)
    power = state.tau @ oracle._drives(at) @ G @ cd
    assert change == pytest.approx(power, abs=1e-6 * (1 + np.abs(state.tau).sum()))


@pytest.mark.parametrize("seed", SEEDS)
def test_mujoco_has_the_same_masses_and_loops(seed: int):
    oracle, c, cd, _ = drawn(seed)
    at = oracle._moving(c, cd)[0]
    peer = MujocoMechanism(oracle.model)
    peer.place(at.q, at.qd)
    M, bias = peer.mass_and_bias()
    rows, drifts = peer.tie_rows()
    ours = [at.closure(each) for each in oracle.graph.closures if each.point]
    assert error(M, oracle._tree_mass(at.q)) < 1e-9
    need = oracle._need(at, np.zeros(oracle.nv), None, None, None, False, False) - oracle._passive(
        at, False
    )
    assert np.abs(bias - need).max() < 1e-9 * (1 + np.abs(need).max())
    if ours:
        assert np.abs(rows - np.concatenate([J[:3] for _, J, _ in ours])).max() < 1e-11
        drift = np.concatenate([rate[:3] for _, _, rate in ours])
        assert np.abs(drifts - drift).max() < 1e-10 * (1 + np.abs(drift).max())


@pytest.mark.parametrize("module", MODULES)
def test_every_module_stands_alone(module: str):
    assert random_mechanism(0, (module,)).name.endswith(module)


def test_gravity_and_base_acceleration_are_the_same():
    oracle, c, cd, cdd = drawn(3)
    push = np.array([1.0, -2.0, 0.5])
    moved = oracle.inverse(c, cd, cdd, base_motion=np.concatenate([np.zeros(6), push]))
    heavier = oracle.inverse(c, cd, cdd, gravity=oracle.model.gravity - push)
    assert np.abs(moved - heavier).max() < 1e-10 * np.abs(moved).max()


def test_a_payload_is_a_body_on_the_tool():
    rng = np.random.default_rng(1)
    s = sketched(rng, ("chain",))
    mechanism = replace(s.model("chain"), tool=None)
    last = mechanism.parts[-1]
    center, mass, own = np.array([0.1, -0.2, 0.3]), 2.0, s.inertia(2.0)
    J = own + mass * (center @ center * np.eye(3) - np.outer(center, center))
    payload = np.array([mass, *(mass * center), J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]])
    grown = replace(last, body=last.body.merged_with(Body.of(mass, center, own)), frame=Transform())
    heavy = replace(mechanism, parts=(*mechanism.parts[:-1], grown))
    bare = replace(mechanism, parts=(*mechanism.parts[:-1], replace(last, frame=Transform())))
    c, cd, cdd = rng.normal(size=(3, len(mechanism.coordinates)))
    with_payload = Oracle(bare, payload).inverse(c, cd, cdd)
    assert (
        np.abs(with_payload - Oracle(heavy).inverse(c, cd, cdd)).max()
        < 1e-11 * np.abs(with_payload).max()
    )
