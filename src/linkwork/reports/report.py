"""The page of any result."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from linkwork.core.checked import checked
from linkwork.core.errors import InputError
from linkwork.core.text import listed
from linkwork.reports.page import Page
from linkwork.robot.robot import Robot

# Module and function by what they report, so that one report does not import all.
REPORTS = {
    "linkwork.robot.robot.Robot": "robot.robot_report",
    "linkwork.analysis.study.Study": "inverse.inverse_report",
    "linkwork.analysis.sizing.Sizing": "sizing.sizing_report",
    "linkwork.analysis.workspace.Reached": "workspace.workspace_report",
    "linkwork.kinematics.assembly_modes.AssemblyModes": "assembly_modes.modes_report",
    "linkwork.analysis.frequency_response.FrequencyResponse": "frequency_response.bandwidth_report",
    "linkwork.analysis.tolerances.Tolerances": "tolerances.tolerances_report",
    "linkwork.identification.calibrate.Calibration": "calibration.calibration_report",
    "linkwork.identification.identify.Identification": "identification.identification_report",
    "linkwork.identification.payload.Payload": "payload.payload_report",
    "linkwork.identification.observe.Observation": "observe.observation_report",
    "linkwork.design.optimize.Design": "design.design_report",
    "linkwork.analysis.datasheet.DataSheet": "datasheet.datasheet_report",
}


@checked
def report(result: Any, robot: Robot | None = None) -> Page:
    """A page about a robot or a result, with live figures: it shows itself in a notebook, `.save(path)`
    writes it as .html or .pdf, `.show()` opens it in a browser.

    Args:
        robot: whose simulation it is; other results know theirs.
    """
    from linkwork.reports.simulation import simulation_report
    from linkwork.simulation import Simulation

    if isinstance(result, Simulation):
        return simulation_report(Robot.expect(robot, "lw.report of a simulation"), result)
    for kind in type(result).__mro__:
        place = REPORTS.get(f"{kind.__module__}.{kind.__name__}")
        if place:
            module, function = place.split(".")
            page: Page = getattr(import_module(f"linkwork.reports.{module}"), function)(result)
            return page
    known = listed(["Simulation", *(place.rpartition(".")[2] for place in REPORTS)])
    raise InputError(f"there is no report of {type(result).__name__}; there are reports of: {known}.")
