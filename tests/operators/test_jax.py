"""linkwork.jax: jit, vmap and grad over machine code that XLA calls, shapes and errors."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import linkwork as lw
from linkwork.core.errors import InputError, LinkworkError
from linkwork.operators.xla import interface_version
from tests.every_method import states

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402

from linkwork.jax import dynamics  # noqa: E402

ARM = lw.load("planar-2r")
MOTION, FORCED = ("c", "cd", "cdd"), ("c", "cd", "tau")


@pytest.fixture(autouse=True)
def _double_precision():
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


def drawn(robot: lw.Robot, rows: int, names: tuple[str, ...] = MOTION) -> list[np.ndarray]:
    found = states(robot, rows)
    return [found[name] for name in names]


@pytest.mark.parametrize("name", ["planar-2r", "delta"])
def test_results_and_derivatives_are_those_of_the_robot(name: str) -> None:
    robot = lw.load(name)
    d = dynamics(robot)
    for method, names in (("inverse_dynamics", MOTION), ("forward_dynamics", FORCED)):
        given = drawn(robot, 7, names)
        run = jax.jit(getattr(d, method))
        np.testing.assert_array_equal(run(*given), getattr(robot, method)(*given))
        found = jax.vmap(jax.jacrev(getattr(d, method), argnums=(0, 1, 2)))(*given)
        exact = getattr(robot, f"{method}_derivatives")(*given)
        for x, y in zip(exact, found, strict=True):
            np.testing.assert_allclose(y, x, rtol=1e-9, atol=1e-9 * np.abs(x).max())
    c, cd = drawn(robot, 3)[:2]
    np.testing.assert_array_equal(d.mass_matrix(c), robot.mass_matrix(c))
    np.testing.assert_array_equal(d.gravity_load(c), robot.gravity_load(c))
    for x, y in zip(d.energy(c, cd), robot.energy(c, cd), strict=True):
        np.testing.assert_array_equal(x, y)
    T = d.forward_kinematics(c)
    assert T.shape == (3, 4, 4)
    np.testing.assert_allclose(T[:, :3, 3], robot.body_pose(c)[:, :3], atol=1e-12)


def test_gradients_of_steps_by_differences() -> None:
    from jax.test_util import check_grads

    c, cd, tau = drawn(ARM, 3, FORCED)
    names = ["links[1].mass", "links[0].friction.viscous"]
    d = dynamics(ARM, parameters=names)

    def rollout(c, cd, tau, mass, viscous):
        values = {names[0]: mass, names[1]: viscous}
        for _ in range(3):
            c, cd = d.step(c, cd, tau, 0.01, parameters=values)
        return c, cd

    check_grads(rollout, (c, cd, tau, 1.2, np.array([0.3])), order=1, modes=["rev"], rtol=1e-6)


def test_second_derivatives_and_no_third() -> None:
    d = dynamics(ARM)
    c, cd, _ = (each[0] for each in drawn(ARM, 1))
    kinetic = lambda v: d.energy(c, v).kinetic  # noqa: E731
    twice = jax.jacrev(jax.jacrev(kinetic))
    np.testing.assert_allclose(jax.jit(twice)(cd), ARM.mass_matrix(c), rtol=1e-10)
    with pytest.raises(LinkworkError, match="third derivatives are not compiled"):
        jax.jacrev(twice)(cd)
    with pytest.raises(TypeError, match="custom_vjp"):
        jax.jacfwd(kinetic)(cd)


def test_batches_broadcast_under_jit_and_vmap() -> None:
    d = dynamics(ARM)
    c, cd, cdd = drawn(ARM, 4)
    gravity = np.array([1.0, 2.0, 3.0])
    expected = ARM.inverse_dynamics(c[:, None], cd, cdd[0], gravity)
    found = jax.jit(d.inverse_dynamics)(c[:, None], cd, cdd[0], gravity=gravity)
    np.testing.assert_array_equal(found, expected)
    one = lambda c, cdd: d.inverse_dynamics(c, cd, cdd, gravity=gravity)  # noqa: E731
    np.testing.assert_array_equal(jax.vmap(one, in_axes=(0, None))(c, cdd[0]), expected)
    slope = jax.grad(lambda g: d.inverse_dynamics(c, cd, cdd, gravity=g).sum())(gravity)
    step = 1e-6 * np.eye(3)
    ahead, behind = (
        [ARM.inverse_dynamics(c, cd, cdd, gravity + sign * each).sum() for each in step]
        for sign in (1, -1)
    )
    np.testing.assert_allclose(slope, (np.array(ahead) - behind) / 2e-6, rtol=1e-6, atol=1e-8)
    assert d.inverse_dynamics(c[:0], cd[:0], cdd[:0]).shape == (0, 2)


def test_single_precision() -> None:
    d = dynamics(ARM)
    single = [each.astype(np.float32) for each in drawn(ARM, 5)]
    found = d.inverse_dynamics(*single)
    assert found.dtype == jnp.float32
    np.testing.assert_array_equal(found, ARM.inverse_dynamics(*single, dtype="float32"))
    with pytest.raises(InputError, match="float32 and float64 in one call"):
        d.inverse_dynamics(single[0], *drawn(ARM, 5)[1:])


def test_wrong_shapes_and_nonfinite_numbers() -> None:
    d = dynamics(ARM)
    c, cd, cdd = drawn(ARM, 3)
    with pytest.raises(InputError, match="qd has 1 numbers on its last axis; expected 2"):
        d.inverse_dynamics(c, cd[:, :1], cdd)
    with pytest.raises(InputError, match="batch shapes do not fit together: q"):
        jax.jit(d.inverse_dynamics)(c, cd[:2], cdd)
    cd[1, 0] = np.nan
    with pytest.raises(Exception, match="an input or a result is not finite"):
        jax.block_until_ready(jax.jit(d.inverse_dynamics)(c, cd, cdd))
    found = jax.jit(dynamics(ARM, errors="nan").inverse_dynamics)(c, cd, cdd)
    assert np.isnan(found).any(axis=1).tolist() == [False, True, False]


def test_another_interface_is_refused(tmp_path) -> None:
    header = tmp_path / "xla" / "ffi" / "api" / "c_api.h"
    header.parent.mkdir(parents=True)
    header.write_text("#define XLA_FFI_API_MAJOR 0\n#define XLA_FFI_API_MINOR 7\n")
    assert interface_version(str(tmp_path)) == 7
    header.write_text("#define XLA_FFI_API_MAJOR 1\n#define XLA_FFI_API_MINOR 0\n")
    with pytest.raises(LinkworkError, match="version 1 of XLA's foreign function interface"):
        interface_version(str(tmp_path))


def test_without_jax_it_says_what_to_install() -> None:
    code = "import sys; sys.modules['jax'] = None\nimport linkwork.jax"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert 'linkwork.jax needs JAX: pip install "linkwork[jax]".' in done.stderr
