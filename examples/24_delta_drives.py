"""A Delta with its motors and gears: requirement, drives that serve, the chosen one, the final check."""

# %% choice
import linkwork as lw

delta = lw.load("packing-delta.yaml")
search = lw.DriveSearch(lw.read_drive_parts("packing-drives.yaml"), reserve=0.2, inertia_ratio=10)
sizing = lw.size_actuators(
    delta, ["packing-cycle.yaml"], period=0.002, duty=lw.Duty(ambient=45), drives=search
)
(choice,) = sizing.choices
best = choice.best(1)[0]
print(f"{len(choice.feasible)} of {len(choice)} serve, the cheapest: {best.drive.in_words}")
print(f"{best.price:g}, {best.mass:.1f} kg, {100 * best.margin:.1f} % left in {best.limited_by}")

# %% check
driven = delta.with_drives(best.drive)
final = lw.size_actuators(driven, ["packing-cycle.yaml"], period=0.002, duty=lw.Duty(ambient=45)).drives
for demand in final.demands:
    margin, motion = demand.margins["winding temperature"]
    print(f"{demand.name}: {demand.rms_torque:.3f} N m RMS, winding {demand.winding:.1f} deg C")
    print(f"       {100 * margin:.0f} % left along {motion}, least {100 * demand.margin:.0f} %")
(supply,) = final.supplies
print(f"{supply.drawn_power:.1f} W drawn, {supply.resistor_power:.1f} W back into a braking resistor")
