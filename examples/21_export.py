"""Robots in other tools."""

# %% c
import linkwork as lw

arm = lw.load_arm("puma560")
done = lw.export(arm, "c", "puma560_c", ["inverse_dynamics", "gravity_load", "computed_torque"])
print(*done.files)

# %% casadi
done = lw.export(arm, "casadi", "puma560_casadi", ["forward_dynamics"])
print(*done.files)

# %% fmu
small = lw.load_arm("planar-2r")
done = lw.export(small, "fmu", "planar_fmu", fmi="3.0", model="forward")
print(*done.files)

# %% wasm
done = lw.export(arm, "wasm", "puma560_wasm", ["inverse_dynamics", "forward_dynamics"])
print(*done.files)

# %% mjcf
done = lw.export(lw.load("simona"), "mjcf", "simona_mujoco")
print(*done.files)
