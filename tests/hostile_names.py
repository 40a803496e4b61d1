"""Names that a robot file may have and that are code, markup or formulas elsewhere."""

from __future__ import annotations

from typing import Any

import linkwork as lw
from linkwork.model.robot_files import robot_document

MARK = "INJECTED"
NAMES = (
    f'x */ int {MARK} = system("touch {MARK}"); /*',
    f"*\\ int {MARK}; /\\*",  # a backslash that became a slash would end the comment
    f"*??/ {MARK} \\",
    f"/* //* {MARK} */*/",
    f'""" + {MARK} + """',
    f"--- --> <{MARK}/> <!-- ]]> &{MARK};",
    f"</script><script>{MARK}()</script>",
    f"<img src=x onerror={MARK}()>",
    f"@METHODS@ @HEADER@ {{{MARK}}} %s%n",
    f'=HYPERLINK("http://{MARK}";A1)',
    f"`${{{MARK}}}`; ' + {MARK} + '",
    f"@SUM({MARK})",
)


def file_of(*names: str) -> Any:
    """Slides on each other, whose dynamics compile in a moment; the first name is the robot's too."""
    found = robot_document(lw.load("planar-2r").model)
    link = {**found["links"][0], "joint": "prismatic", "friction": {"viscous": 0.1}}
    link["limits"] = {"position": [-1.0, 1.0], "velocity": 1.0, "effort": 100.0}
    found["links"] = [{**link, "name": name} for name in names]
    return {**found, "name": names[0]}
