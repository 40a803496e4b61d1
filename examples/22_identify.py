"""Which parameters efforts can show, a motion that shows them, and a robot found from its log."""

# %% base
import linkwork as lw

arm = lw.load_arm("planar-2r")
base = arm.base_parameters()
print(base)

# %% excite
found = lw.excite(arm, period=8.0)
best = found.random.min()
print(f"better than {len(found.random)} random motions: {found.condition < best / 2}")

# %% identify
result = lw.identify(arm, "planar-2r-log", validate="planar-2r-new")
for k in (0, 3, 6):
    low, high = result.interval[k]
    print(f"{base.names[k]}: file {base.values[k]:.3g}, between {low:.3f} and {high:.3f}")
print("left on the new log, in noise:", (result.validation[0].rms / result.noise).round(2))
lw.write_robot(result.robot, "identified.yaml")
print("findings in the file:", lw.lint("identified.yaml"))

# %% coupled
coupled = arm.with_motors({"m1": {"shoulder": 1}, "m2": {"shoulder": 1, "elbow": 1}})
print(coupled.efforts.names, [name for name in coupled.parameters.names if name.startswith("m2")])
