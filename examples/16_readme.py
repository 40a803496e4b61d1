"""The snippets of README.md that follow the first one."""

# %% platform
import linkwork as lw

hexapod = lw.load("dasgupta1998")
pose, twist, acceleration = [0.2, 0, 0.5, 0, 0, 0.1], [0.5, 0, 0.5, 0, 0, 1], [4, 0, 4, 0, 0, 8]
exact = hexapod.inverse_dynamics(pose, twist, acceleration)
published = hexapod.inverse_dynamics(pose, twist, acceleration, formulation="dasgupta1998")
print("the paper is off by", abs(published - exact).max().round(1), "N")
reactions = hexapod.joint_reactions(pose, twist, acceleration)  # every joint of every leg

# %% kernel
arm = lw.load("puma560")
kernel = arm.kernel("inverse_dynamics", formulation="angeles")
print(kernel.counts)  # multiplications, additions, ... after sharing and factoring
dynamics = kernel.casadi  # the CasADi function, for your optimizer
source = kernel.c_source()  # plain C, for your controller
loop = kernel.bind()  # fixed buffers and a call of well under a microsecond
