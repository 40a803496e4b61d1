import linkwork as lw
from linkwork.motion import PoseLine, QuinticProfile
from linkwork.reports import figures, save_figure
from linkwork.reports.inverse import inverse_report
from linkwork.reports.study import study

hexapod = lw.load("pi-h811")
path = PoseLine((0, 0, 0, 0, 0, 0), (0.01, 0, 0.004, 0, 0.1, 0.2), QuinticProfile(0.6))
time, motion = path.sample(0.002)
page = inverse_report(hexapod, "a quick move", time, motion, command="python examples/07_report.py")
print(page.save("report.html"))

found = study(hexapod, "a quick move", time, motion)  # the numbers behind the report
save_figure(figures.parts_figure(found), "parts.png")  # or .svg, .pdf
for name, part in found.parts.items():
    print(f"{name:24} {abs(part).max():8.3f} N")
