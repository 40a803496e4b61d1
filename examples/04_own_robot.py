"""A robot of your own: the same fields as in a robot file, here as a dictionary."""

import linkwork as lw

arm = lw.load(
    {
        "kind": "arm",
        "name": "my-scara",
        "convention": "standard",
        "links": [
            {
                "joint": "revolute",
                "a": 0.4,
                "mass": 3,
                "center_of_mass": [-0.2, 0, 0],
                "inertia": [0, 0.04, 0.04],
            },
            {
                "joint": "revolute",
                "a": 0.3,
                "alpha": "180 deg",
                "mass": 2,
                "center_of_mass": [-0.15, 0, 0],
                "inertia": [0, 0.02, 0.02],
                "friction": {"viscous": 0.1, "coulomb": 0.5},
            },
            {"joint": "prismatic", "mass": 1, "limits": {"position": [0, 0.2], "effort": 50}},
        ],
    }
)
print(arm, arm.gravity_load([0.3, 0.5, 0.1]))

try:
    lw.load(
        {
            "kind": "arm",
            "name": "faulty",
            "convention": "standard",
            "links": [{"joint": "revolut", "mass": -1}],
        }
    )
except lw.RobotFileError as error:
    print(error)
