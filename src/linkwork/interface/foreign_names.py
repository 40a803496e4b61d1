"""Names that users of other libraries bring along, and what they are called here."""

from __future__ import annotations

import difflib

# From Pinocchio, the Robotics Toolbox, MuJoCo, Drake and Simscape.
FOREIGN_NAMES = {
    "rne": "inverse_dynamics",
    "rnea": "inverse_dynamics",
    "id": "inverse_dynamics",
    "itorque": "inverse_dynamics",
    "inverseDynamics": "inverse_dynamics",
    "aba": "forward_dynamics",
    "fd": "forward_dynamics",
    "accel": "forward_dynamics",
    "fdyn": "forward_dynamics",
    "forwardDynamics": "forward_dynamics",
    "crba": "mass_matrix",
    "inertia": "mass_matrix",
    "massMatrix": "mass_matrix",
    "nle": "bias",
    "coriolis": "coriolis_matrices",
    "gravload": "gravity_load",
    "gravityTorque": "gravity_load",
    "computeGeneralizedGravity": "gravity_load",
    "fkine": "forward_kinematics",
    "fk": "forward_kinematics",
    "forwardKinematics": "forward_kinematics",
    "getTransform": "forward_kinematics",
    "ikine": "inverse_kinematics",
    "ikine_LM": "inverse_kinematics",
    "ik": "inverse_kinematics",
    "jacob0": "jacobian",
    "jacobe": "jacobian",
    "jacob": "jacobian",
    "computeJointJacobian": "jacobian",
    "geometricJacobian": "jacobian",
    "nq": "n",
    "nv": "n",
    "dof": "n",
    "qlim": "limits",
}


def hint_for(name: str, kind: type) -> str:
    """What to use instead of a name that a robot does not have; empty if nothing is near."""
    here = FOREIGN_NAMES.get(name)
    if here is not None and hasattr(kind, here):
        return f"; use {here} (see docs/coming-from.md)"
    if name.startswith("_"):
        return ""
    public = [each for each in dir(kind) if not each.startswith("_")]
    close = difflib.get_close_matches(name, public, n=1)
    return f"; did you mean {close[0]}?" if close else ""
