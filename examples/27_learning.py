"""A payload and friction learned by gradient descent through a simulated motion."""

# %% gradients
import torch

import linkwork as lw
from linkwork.torch import dynamics

d = dynamics(lw.load("ur5"))
q, qd, qdd = (torch.zeros(1000, 6, dtype=torch.float64, requires_grad=True) for _ in range(3))
tau = d.inverse_dynamics(q, qd, qdd)
tau.square().mean().backward()
print(tau.shape, q.grad.shape)

# %% robot
LEARNED = ["links[1].mass", "links[0].friction.viscous", "links[1].friction.viscous"]
arm = lw.load("planar-2r")
d = dynamics(arm, parameters=LEARNED)

# %% recording
# What was recorded: the arm with a payload of 0.8 kg and friction that its file does not have, from 16
# starts, under efforts that are known.
torch.manual_seed(0)
STEPS, h = 50, 0.01
truth = torch.tensor([arm.model.joints[1].body.mass + 0.8, 0.35, 0.2], dtype=torch.float64)
start = torch.randn(16, 2, dtype=torch.float64), torch.zeros(16, 2, dtype=torch.float64)
efforts = 8 * torch.randn(16, 2, dtype=torch.float64)


def rollout(values):
    """Positions of all steps, (16, STEPS, 2)."""
    parameters = dict(zip(LEARNED, values, strict=True))
    q, qd = start
    path = []
    for _ in range(STEPS):
        q, qd = d.step(q, qd, efforts, h, parameters=parameters)
        path.append(q)
    return torch.stack(path, dim=1)


recorded = rollout(truth)

# %% learning
values = torch.tensor([arm.model.joints[1].body.mass, 0.0, 0.0], dtype=torch.float64, requires_grad=True)
optimizer = torch.optim.LBFGS([values], max_iter=60, line_search_fn="strong_wolfe")


def loss():
    optimizer.zero_grad()
    error = ((rollout(values) - recorded) ** 2).mean()
    error.backward()
    return error


optimizer.step(loss)
for name, found, true in zip(LEARNED, values.tolist(), truth.tolist(), strict=True):
    print(f"{name}: {found:.4f} (true {true:.4f})")
