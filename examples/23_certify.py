"""Prove that a region of a motion platform keeps every limit, and find what breaks one."""

# %% prove
import linkwork as lw

simona = lw.load("simona")
region = {
    "x": [-0.1, 0.1],
    "y": [-0.1, 0.1],
    "z": [2.3, 2.45],
    "roll": ["-3 deg", "3 deg"],
    "pitch": ["-3 deg", "3 deg"],
}
found = lw.certify(simona, region, leg_diameter=0.12, condition=10)
print(found.verdict, found.undecided_share)

# %% refute
wider = lw.certify(simona, {**region, "z": [2.3, 3.1]})
print(wider.verdict, wider.broken)
lengths = simona.leg_lengths(list(wider.witness.values()))
print("longest leg there:", lengths.max().round(3), "m")

# %% path
hexapod = lw.load("dasgupta1998")
for name in ("dasgupta-I", "dasgupta-II", "dasgupta-III"):
    found = lw.certify(hexapod, {"path": name, "tube": 1e-4})
    print(name, found.verdict, found.broken)
