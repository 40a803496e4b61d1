"""How few operations: the tables of docs/how-few-operations.md."""

# %% published
import linkwork as lw

table = lw.operation_table(6, robots=())
rows = [(m + a, f"{author}, {method}", m, a) for author, method, m, a in table.others]
for row in table.general:
    if row.formulation not in ("newton-euler", "angeles"):
        m, a = row.kernel.multiplications, row.kernel.additions
        rows.append((m + a, f"Linkwork, {row.formulation}", m, a))
print(f"{'general 6R':<36}{'M':>6}{'A':>6}{'M + A':>8}")
for total, who, m, a in sorted(rows, reverse=True):
    print(f"{who:<36}{m:>6}{a:>6}{total:>8}")

# %% general
from linkwork.analysis.operation_table import general_model

for n in (4, 5, 6, 7):
    counts = lw.Arm(general_model(n)).kernel("inverse_dynamics").counts
    m, a = counts.multiplications, counts.additions
    print(f"{n} joints: {m} M + {a} A = {m + a};  73n-98 + 65n-92 = {138 * n - 190}")

# %% robots
names = ("newton-euler", "modified-newton-euler", "minimal")
print(f"{'M + A of the kernel':<22}" + "".join(f"{name:>23}" for name in names))
for robot in ("puma560", "ur5", "stanford"):
    arm = lw.load(robot)
    totals = [
        arm.kernel("inverse_dynamics", formulation=name, friction=False, rotors=False).counts.flops
        for name in names
    ]
    print(f"{robot:<22}" + "".join(f"{total:>23}" for total in totals))

# %% other methods
arm = lw.load("puma560")
for method in ("inverse_dynamics", "bias", "mass_matrix", "forward_dynamics"):
    counts = arm.kernel(method).counts
    print(f"{method:<18}{counts.multiplications:>4} M{counts.additions:>5} A{counts.divisions:>3} div")

# %% search
arm = lw.load("feeder.yaml")
before = arm.kernel("inverse_dynamics", friction=False, rotors=False).counts
found = lw.minimize_operations(arm, evaluations=2000, seed=1, store=False)
after = found.kernel("inverse_dynamics", friction=False, rotors=False).counts
print("found at once", before.flops, "- after a search", after.flops)
