"""A motion platform judged and varied: stiffness, vibrations, a thousand machines in one call."""

# %% stiffness
import numpy as np

import linkwork as lw

platform = lw.load_platform("flight-simulator.yaml")
modes = platform.vibration_modes(platform.home)
print("natural frequencies [Hz]:", modes.frequencies.round(1))
print("stiffness along z [N/um]:", (platform.stiffness(platform.home)[2, 2] / 1e6).round(1))

# %% variants
names = ["geometry.base_radius", "platform.mass"]
kernel = platform.kernel("gravity_load", parameters=names)
radius, mass = np.meshgrid(np.linspace(1.2, 2.4, 40), np.linspace(1000, 2000, 25))
forces = kernel(platform.home, radius.reshape(-1, 1), mass.reshape(-1, 1))
print(forces.shape, "from", int(forces.min()), "to", int(forces.max()), "N")

# %% sheet
sheet = lw.datasheet(lw.load("driven-simulator.yaml"), "flight-simulator-requirements.yaml")
least = min(sheet.compliance, key=lambda line: line.margin if line.margin == line.margin else 1.0)
print(f"{least.requirement}: {100 * least.margin:.0f} % left, {least.where}")
print("foundation [N]:", int(max(load.force for load in sheet.foundation)))
