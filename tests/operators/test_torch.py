"""linkwork.torch: derivatives, transforms and compilation of PyTorch, shapes and errors."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pinocchio as pin
import pytest

import linkwork as lw
from linkwork.core.errors import InputError, LinkworkError
from linkwork.simulation.plant_functions import plant_kernel
from tests.every_method import states
from tests.oracles.pinocchio_arm import PinocchioArm

torch = pytest.importorskip("torch")
from linkwork.torch import _number, dynamics  # noqa: E402

ARM = lw.load("planar-2r")
D = dynamics(ARM)


def tensors(robot: lw.Robot, rows: int, *names: str) -> list:
    """States of a robot as tensors that ask for gradients."""
    drawn = states(robot, rows)
    return [torch.tensor(drawn[name], requires_grad=True) for name in names]


MOTION, FORCED = ("c", "cd", "cdd"), ("c", "cd", "tau")


@pytest.mark.parametrize(
    "name", ["planar-2r", "stanford", "delta", pytest.param("palletizer", marks=pytest.mark.long)]
)
def test_first_derivatives(name: str) -> None:
    robot = lw.load(name)
    d = dynamics(robot)
    for method, inputs in (
        ("inverse_dynamics", MOTION),
        ("forward_dynamics", FORCED),
        ("mass_matrix", MOTION[:1]),
        ("gravity_load", MOTION[:1]),
        ("energy", MOTION[:2]),
        ("forward_kinematics", MOTION[:1]),
    ):
        given = tensors(robot, 2, *inputs)
        found = getattr(d, method)(*given)
        if method != "forward_kinematics":
            expected = getattr(robot, method)(*[each.detach().numpy() for each in given])
            for x, y in zip(expected, found, strict=True):
                np.testing.assert_array_equal(x, y.detach().numpy())
        assert torch.autograd.gradcheck(getattr(d, method), given, atol=1e-4, rtol=1e-5), method


def test_a_quaternion_is_four_numbers() -> None:
    pose = tensors(lw.load("dasgupta1998"), 2, "c")[0]
    assert pose.shape == (2, 7)
    assert torch.autograd.gradcheck(
        dynamics(lw.load("dasgupta1998")).gravity_load, pose, atol=1e-4, rtol=1e-5
    )


@pytest.mark.long
def test_of_a_platform_with_quaternions() -> None:
    """The quaternion is four numbers: the gradient is that of the expression, unit length or not."""
    robot = lw.load("dasgupta1998")
    d = dynamics(robot)
    pose, twist, acceleration = tensors(robot, 2, *MOTION)
    assert pose.shape == (2, 7)
    weights = torch.randn(2, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    (d.inverse_dynamics(pose, twist, acceleration) * weights).sum().backward()
    exact = robot.inverse_dynamics_derivatives(
        *[x.detach().numpy() for x in (pose, twist, acceleration)]
    )
    w = weights.numpy()
    np.testing.assert_allclose(twist.grad, np.einsum("ni,nij->nj", w, exact.dqd), rtol=1e-9, atol=1e-9)
    # Along a rotation by dtheta the quaternion changes by (0, dtheta) * q / 2.
    q, moved = pose.detach().numpy()[:, 3:], []
    for axis in np.eye(3):
        vector = q[:, :1] * axis + np.cross(axis, q[:, 1:])
        moved.append(0.5 * np.concatenate([-(q[:, 1:] @ axis)[:, None], vector], axis=1))
    turned = np.stack([(pose.grad.numpy()[:, 3:] * each).sum(axis=1) for each in moved], axis=1)
    tangent = np.concatenate([pose.grad.numpy()[:, :3], turned], axis=1)
    np.testing.assert_allclose(tangent, np.einsum("ni,nij->nj", w, exact.dq), rtol=1e-8, atol=1e-6)


def test_derivatives_are_those_of_pinocchio() -> None:
    robot = lw.load("ur5")
    peer = PinocchioArm(robot.model)
    d = dynamics(robot, friction=False, rotors=False)
    for method, third, function in (
        ("inverse_dynamics", "cdd", pin.computeRNEADerivatives),
        ("forward_dynamics", "tau", pin.computeABADerivatives),
    ):
        given = tensors(robot, 3, "c", "cd", third)
        for k in range(3):
            row = [each[k].detach() for each in given]
            found = torch.func.jacrev(getattr(d, method), argnums=(0, 1, 2))(*row)
            expected = function(peer.model, peer.data, *[each.numpy() for each in row])
            for x, y in zip(expected, found, strict=True):
                full = np.triu(x) + np.triu(x, 1).T if np.allclose(np.tril(x, -1), 0) else x
                np.testing.assert_allclose(y.numpy(), full, rtol=1e-9, atol=1e-9 * np.abs(full).max())


def test_second_derivatives_and_no_third() -> None:
    given = tensors(ARM, 2, *MOTION)
    assert torch.autograd.gradgradcheck(D.inverse_dynamics, given)
    q, qd, qdd = (each[0].detach() for each in given)
    third = torch.func.jacrev(torch.func.jacrev(torch.func.jacrev(D.inverse_dynamics)))
    with pytest.raises(LinkworkError, match="third derivatives are not compiled"):
        third(q, qd, qdd)


def test_parameters_of_the_robot_file() -> None:
    names = ["links[1].mass", "links[0].center_of_mass", "links[0].friction.viscous"]
    robot = lw.load("planar-2r")
    d = dynamics(robot, parameters=names)
    given = tensors(robot, 3, *MOTION)
    mass = torch.tensor(1.3, dtype=torch.float64, requires_grad=True)
    center = torch.tensor([[0.1, 0.2, 0.3]] * 3, dtype=torch.float64, requires_grad=True)
    viscous = torch.tensor([0.7], dtype=torch.float64, requires_grad=True)
    values = dict(zip(names, (mass, center, viscous), strict=True))
    changed = robot.with_fields({names[0]: 1.3, names[1]: [0.1, 0.2, 0.3], names[2]: 0.7})
    expected = changed.inverse_dynamics(*[each.detach().numpy() for each in given])
    found = d.inverse_dynamics(*given, parameters=values)
    np.testing.assert_allclose(found.detach().numpy(), expected, rtol=1e-12, atol=1e-12)

    def learned(mass, center, viscous):
        by_name = dict(zip(names, (mass, center, viscous), strict=True))
        return d.step(*given[:2], given[2], 0.01, parameters=by_name)

    assert torch.autograd.gradcheck(learned, (mass, center, viscous))
    for wrong in ({}, {names[0]: mass}, {**values, "links[1].length": mass}):
        with pytest.raises(InputError, match=r"parameters = .*expected values of \['links\[1\].mass'"):
            d.inverse_dynamics(*given, parameters=wrong)


@pytest.mark.parametrize("name", ["planar-2r", pytest.param("dasgupta1998", marks=pytest.mark.long)])
def test_a_step_is_that_of_a_simulation(name: str) -> None:
    robot = lw.load(name)
    d = dynamics(robot, friction=False)
    c, cd, tau = (each.detach() for each in tensors(robot, 2, *FORCED))
    x, v = d.step(c, cd, tau, 1e-3)
    plant = robot.plant(friction=False)
    state = np.concatenate([c.numpy(), cd.numpy()], axis=1)
    following = plant_kernel("step", plant)(state, tau.numpy(), np.array([1e-3]))
    np.testing.assert_allclose(np.concatenate([x, v], axis=1), following, rtol=1e-12, atol=1e-12)


def test_derivatives_of_a_step() -> None:
    given = tensors(ARM, 2, *FORCED)
    h = torch.tensor([0.01], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(D.step, (*given, h))


def test_gravity_and_wrench_are_inputs() -> None:
    given = tensors(ARM, 3, *MOTION)
    gravity = torch.tensor([1.0, 2.0, -3.0], dtype=torch.float64, requires_grad=True)
    wrench = torch.randn(3, 6, dtype=torch.float64, requires_grad=True)
    found = D.inverse_dynamics(*given, tip_wrench=wrench, gravity=gravity)
    plain = [each.detach().numpy() for each in (*given, gravity, wrench)]
    np.testing.assert_array_equal(found.detach().numpy(), ARM.inverse_dynamics(*plain))

    def sum_of(gravity, wrench):
        return D.inverse_dynamics(*given, gravity=gravity, tip_wrench=wrench)

    assert torch.autograd.gradcheck(sum_of, (gravity, wrench))
    with pytest.raises(InputError, match="unknown input of inverse_dynamics 'payload'"):
        D.inverse_dynamics(*given, payload=wrench)


def test_batches_broadcast_and_gradients_add_up() -> None:
    q, qd, qdd = (each.detach() for each in tensors(ARM, 3, *MOTION))
    q, qd = q[:, None].requires_grad_(), qd[None].requires_grad_()
    found = D.inverse_dynamics(q, qd, qdd[0])
    assert found.shape == (3, 3, 2)
    found.sum().backward()
    assert q.grad.shape == q.shape
    assert qd.grad.shape == qd.shape
    whole = [each.detach().expand(3, 3, 2).clone().requires_grad_() for each in (q, qd)]
    D.inverse_dynamics(*whole, qdd[0]).sum().backward()
    torch.testing.assert_close(q.grad, whole[0].grad.sum(1, keepdim=True))


def test_vmap_and_functional_transforms() -> None:
    q, qd, qdd = (each.detach() for each in tensors(ARM, 4, *MOTION))
    plain = D.inverse_dynamics(q, qd, qdd)
    torch.testing.assert_close(torch.func.vmap(D.inverse_dynamics)(q, qd, qdd), plain, rtol=0, atol=0)
    mixed = torch.func.vmap(D.inverse_dynamics, in_dims=(0, None, 1))(q[:, None], qd, qdd[None])
    assert mixed.shape == (4, 4, 2)
    torch.testing.assert_close(mixed[2, 3], D.inverse_dynamics(q[2], qd[3], qdd[2]), rtol=0, atol=0)
    M = torch.func.vmap(torch.func.jacrev(D.inverse_dynamics, argnums=2))(q, qd, qdd)
    np.testing.assert_allclose(M, ARM.mass_matrix(q.numpy(), rotors=True), rtol=1e-12)
    by_energy = torch.func.vmap(torch.func.hessian(lambda v, q: D.energy(q, v).kinetic))
    with pytest.raises(Exception, match=r"jvp|forward"):  # PyTorch's hessian is forward over reverse
        by_energy(qd, q)
    twice = torch.func.jacrev(torch.func.jacrev(lambda v, q: D.energy(q, v).kinetic))
    found = torch.func.vmap(twice)(qd, q)
    np.testing.assert_allclose(found, ARM.mass_matrix(q.numpy()), rtol=1e-10)


def test_compiled_and_opcheck() -> None:
    q, qd, qdd = tensors(ARM, 3, *MOTION)

    def loss(q, qd, qdd):
        return (D.inverse_dynamics(2 * q, qd, qdd) ** 2).sum() + D.energy(q, qd).kinetic.sum()

    compiled = torch.compile(loss, backend="aot_eager", fullgraph=True)
    expected = torch.autograd.grad(loss(q, qd, qdd), (q, qd, qdd))
    found = torch.autograd.grad(compiled(q, qd, qdd), (q, qd, qdd))
    torch.testing.assert_close(found, expected, rtol=1e-14, atol=1e-14)
    operation, _ = D.operations.plan("inverse_dynamics", 2, (), (), (torch.float64,) * 3)
    torch.library.opcheck(
        torch.ops.linkwork.evaluate.default, (_number(operation), [q, qd, qdd]),
        test_utils=("test_schema", "test_autograd_registration", "test_faketensor"),
    )  # fmt: skip


def test_single_precision() -> None:
    single = [each.detach().float().requires_grad_() for each in tensors(ARM, 3, *MOTION)]
    double = [each.detach().double().requires_grad_() for each in single]
    for each in (single, double):
        (D.inverse_dynamics(*each) ** 2).sum().backward()
    assert single[0].grad.dtype == torch.float32
    for x, y in zip(single, double, strict=True):
        np.testing.assert_allclose(x.grad, y.grad, rtol=1e-5, atol=1e-5 * float(y.grad.abs().max()))
    with pytest.raises(InputError, match="float32 and float64 in one call"):
        D.inverse_dynamics(single[0], *double[1:])
    with pytest.raises(InputError, match="dtype = 'int64'"):
        D.mass_matrix(torch.zeros(2, dtype=torch.int64))


def test_wrong_shapes_and_nonfinite_numbers() -> None:
    q, qd, qdd = tensors(ARM, 3, *MOTION)
    with pytest.raises(InputError, match="qd has 3 numbers on its last axis; expected 2"):
        D.inverse_dynamics(q, torch.zeros(3, 3, dtype=torch.float64), qdd)
    with pytest.raises(InputError, match="batch shapes do not fit together"):
        D.inverse_dynamics(q, qd[:2], qdd)
    with pytest.raises(InputError, match="expected tensors of the CPU, got ndarray"):
        D.inverse_dynamics(q.detach().numpy(), qd, qdd)
    with pytest.raises(InputError, match="expected tensors of the CPU, got meta"):
        D.mass_matrix(q.to("meta"))
    lost = qd.detach().clone()
    lost[1, 0] = torch.nan
    lost.requires_grad_()
    with pytest.raises(InputError, match=r"inverse_dynamics: qd .*row 1"):
        D.inverse_dynamics(q, lost, qdd)
    found = dynamics(ARM, errors="nan").inverse_dynamics(q, lost, qdd)
    assert found.isnan().all(dim=1).tolist() == [False, True, False]
    found[[0, 2]].sum().backward()
    assert q.grad[[0, 2]].isfinite().all()
    for wrong in ({"errors": "ignore"}, {"friction": 1}, {"parameters": ["links[7].mass"]}):
        with pytest.raises(LinkworkError):
            dynamics(ARM, **wrong)
    with pytest.raises(InputError, match="dynamics: expected a robot"):
        dynamics("ur5")


def test_without_pytorch_it_says_what_to_install() -> None:
    code = "import sys; sys.modules['torch'] = None\nimport linkwork.torch"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert 'linkwork.torch needs PyTorch: pip install "linkwork[torch]".' in done.stderr
