"""Numbers behind the reproduced papers: docs/papers.md."""

# %% names
from linkwork import papers

print(papers.NAMES)  # papers.build("dasgupta1998", "folder") writes one, papers.build_all("folder") all

# %% findings
from linkwork.papers.dasgupta1998.findings import singularity
from linkwork.papers.lee1982 import BOUND, experiment

found = singularity()  # of Path III
print(f"no forces hold the platform at t = {found.time:.4f} s")

run = experiment(3.0)  # Lee's motion, in three seconds
print(abs(run.error).max() < BOUND)
