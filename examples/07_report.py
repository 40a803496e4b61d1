"""A report, and a page of your own: docs/reports.md."""

# %% report
import linkwork as lw
from linkwork.analysis.study import study
from linkwork.motion import PoseLine, QuinticProfile
from linkwork.reports import figures, save_figure
from linkwork.reports.inverse import inverse_report

hexapod = lw.load("pi-h811")
path = PoseLine((0, 0, 0, 0, 0, 0), (0.01, 0, 0.004, 0, 0.1, 0.2), QuinticProfile(0.6))
time, motion = path.sample(0.002)
found = study(hexapod, "a quick move", time, motion)  # everything measured once
print(inverse_report(found, "python examples/07_report.py").save("report.html"))
save_figure(figures.parts_figure(found), "parts.png")  # or .svg, .pdf
for name, part in found.parts.items():
    print(f"{name:24} {abs(part).max():8.3f} N")

# %% own page
from linkwork.reports import Page, new_figure, style

figure = new_figure(height=2.5)
with style():
    ax = figure.subplots()
    ax.plot(time, hexapod.condition_number(motion.pose))
    ax.set(xlabel="time [s]", ylabel="condition number")
own = Page("A page of my own", "What it says **first**.")
own.section("Conditioning")
own.figure(figure, "Condition number along the motion.", "condition")
lengths = hexapod.leg_lengths(hexapod.home)
own.table(["leg", "length [m]"], list(zip(hexapod.leg_names, lengths, strict=True)), "Legs at home")
own.save("own.html")

# %% live page
from linkwork.reports.live import of_study

alive = Page("A page that computes")
alive.figure(figures.mechanism_figure(hexapod, time, found.position), "The hexapod.", "mechanism")
alive.live("mechanism", hexapod, [of_study(found)])
alive.figure(figures.effort_figure(found), "Forces of the legs.", "forces", channels=hexapod.n)
alive.save("live.html")
