"""How accurate a machine is that is made within tolerances, and what a measured one is really like."""

# %% tolerances
import linkwork as lw

simona = lw.load("simona")
found = lw.tolerances(simona, "tolerances.yaml", samples=2000)
print(f"{found.yield_share:.1%} of the machines are accurate enough at home")
print("standard deviation of z by derivatives:", found.standard_deviation[0, 2].round(6), "m")
print("of random machines:", found.sampled_deviation[0, 2].round(6), "m")

# %% sources
shares = found.contributions(0)[:, 0]  # of the variance of the position
for k in (-shares).argsort()[:3]:
    print(f"{found.sources[k].name}: {shares[k]:.0%}")

# %% variant
worst = found.variant(found.worst[0])  # a robot like any other
print(worst.name, worst.n, "actuators")

# %% calibrate
ur5 = lw.load("ur5")
calibration = lw.calibrate(ur5, "measured.csv")
print(calibration)

# %% combinations
for name, value, (low, high) in zip(
    calibration.names[:7], calibration.values, calibration.interval, strict=False
):
    print(f"{name}: {value:.3g}, between {low:.3g} and {high:.3g}")

# %% calibrated
lw.write_robot(calibration.calibrated, "calibrated.yaml")
better = lw.load_arm("calibrated.yaml")
print(better.forward_kinematics(better.home)[:3, 3].round(5))
