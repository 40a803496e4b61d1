"""One kernel followed from its robot file to machine code: docs/from-robot-file-to-machine-code.md."""

# %% model
import linkwork as lw

arm = lw.load("planar-2r")
elbow = arm.model.joints[1]
print(elbow.name, elbow.kind, "about", elbow.axis)
print("frame at the far end:", elbow.after.p)
print("body:", elbow.body.mass, "kg at", elbow.body.center_of_mass)
print("inertia about its own center:", elbow.body.inertia.diagonal().round(4))

# %% expression
import casadi as ca

kernel = arm.kernel("inverse_dynamics", formulation="newton-euler")
q, qd, qdd = (ca.SX.sym(name, 2) for name in ("q", "qd", "qdd"))
print(str(kernel.casadi(q, qd, qdd)[1]).replace(", ", "\n"))

# %% graph
from linkwork.kernels.graph import graph_counts, graph_of

written = graph_of(kernel.casadi, tuple(kernel.outputs.values()))
for name, graph in (("as written", written), ("optimized", kernel.graph)):
    counts = graph_counts(graph)
    print(f"{name:<11}{counts.multiplications} M + {counts.additions} A, {len(graph.nodes)} nodes")
print("longest chain:", kernel.depth)
for k in range(32, 37):  # five of them
    print(k, *[part for part in kernel.graph.nodes[k] if part not in (-1, None)])

# %% assembly
from linkwork.kernels import Kernel
from linkwork.kernels.machine import Processor

avx2 = Processor("x86_64-unknown-linux-gnu", "haswell", "+avx2,+fma", lanes=4, fma=True)
assembly = Kernel(kernel.casadi, tuple(kernel.outputs.values()), avx2).llvm_ir().splitlines()
end = next(k for k, line in enumerate(assembly) if "%watched =" in line)
for line in assembly[end - 14 : end - 9]:
    print(line.strip())

# %% machine
from linkwork.kernels.machine import compile_object

text = kernel.llvm_ir()
print(kernel.target.lanes, "states at a time")
print(text.count("\n"), "lines of assembly")
print(len(compile_object(text, kernel.target)), "bytes of object code")

# %% call
import numpy as np

rng = np.random.default_rng(0)
states = rng.uniform(-1, 1, (3, 1000, 2))
tau = kernel(*states)
print(tau.shape, tau[0].round(6))

q1, q2 = states[0].T
qd1, qdd1, qdd2 = states[1, :, 0], states[2, :, 0], states[2, :, 1]
by_hand = (qdd1 + qdd2) / 3
by_hand += np.cos(q2) * (qdd1 + 9.81 * np.cos(q1)) / 2 - np.sin(q2) * (9.81 * np.sin(q1) - qd1**2) / 2
print("elbow by hand agrees:", np.allclose(tau[:, 1], by_hand, rtol=1e-13))

# %% loop
loop = kernel.bind()
loop.q[:] = [0.3, -0.5]
loop.qd[:] = loop.qdd[:] = 0
loop()
print("to hold it:", loop.tau.round(4))

# %% fastest
fastest = arm.kernel("inverse_dynamics")
counts = fastest.counts
print(f"{counts.multiplications} M + {counts.additions} A, longest chain {fastest.depth}")
print(str(fastest.casadi(q, qd, qdd)[1]).replace(", ", "\n"))
